/** Two SMS nodes in one workflow: what the first one has sent is part of what the second one says, and looks up. */
import type { IDataObject, IRun, IRunExecutionData } from 'n8n-workflow';
import { expect, test } from 'vitest';
import {
	executionOf,
	loadNode,
	nodeOf,
	startWorkflow,
	storedForRetry,
	typeOf,
	workflow,
	workflowWith,
} from '../harness.mts';
import { KEY } from './answers.mts';
import { answer, people, sim, sms } from './sending.mts';

/** A confirmation for each item, then a survey to the same people. */
async function confirmAndAsk(items: IDataObject[], failed?: IRunExecutionData): Promise<IRun> {
	const type = loadNode('Sms');
	const { properties, name } = type.description;
	const fields = [
		{ number: '={{ $json.to }}', message: 'Confirmed' },
		{ number: '={{ $json.number }}', message: 'How was it?' },
	];
	const nodes = ['Confirm', 'Ask'].map((title, at) => {
		const node = nodeOf(title, `n8n-nodes-sms-service.${name}`, {
			credentials: { smsServiceApi: { id: '1', name: 'SMS' } },
		});
		const given = { ...sms('send', []).parameters, ...fields[at] };
		node.parameters = workflow.NodeHelpers.getNodeParameters(
			...([properties, given, true, false, node, type.description] as const),
		)!;
		return node;
	});
	const input = items.map((json, item) => ({ json, pairedItem: { item } }));
	const data = failed ? storedForRetry({ data: failed }) : executionOf(nodes[0], [input]);
	const toAsk = { node: 'Ask', type: 'main', index: 0 } as const;
	const instance = workflowWith(
		'workflow',
		[nodeOf('Input', 'input'), ...nodes],
		{ [nodes[0].type]: type, input: typeOf('input') },
		{ Confirm: { main: [[toAsk]] } },
	);
	const [mode, executionId] = failed ? (['retry', '2'] as const) : (['trigger', '1'] as const);
	const credential = { baseUrl: sim.baseUrl, apiKey: KEY };
	return await startWorkflow(instance, data, mode, { credential, executionId });
}

const texts = () => sim.messages.map(({ text }) => text);

test('the first one has sent: the second one says to retry, not to run the workflow again', async () => {
	answer('401 code 72', { skip: 2, times: 1 });
	const failed = await confirmAndAsk(people(2));
	const { error } = failed.data.resultData;
	expect(texts()).toEqual(['Confirmed', 'Confirmed']);
	expect(error?.description).not.toMatch(/No item has been sent|Run the workflow again/);
	expect(error?.description).toContain('When the cause is solved, retry this execution');
	const retried = await confirmAndAsk([], failed.data);
	expect(retried.data.resultData.error).toBeUndefined();
	expect(texts().sort()).toEqual(['Confirmed', 'Confirmed', 'How was it?', 'How was it?']);
});

// Less than a second is no evidence that the clocks differ, since the service's Date has none.
test('the message of the first one is not taken for the lost one of the second', async () => {
	sim.clock.advance(400);
	answer('reset, not accepted', { skip: 1, times: 1 });
	const failed = await confirmAndAsk(people(1));
	const retried = await confirmAndAsk([], failed.data);
	expect(texts()).toEqual(['Confirmed']);
	expect(retried.data.resultData.error?.message).toMatch(
		/^It is unknown whether this was sent .*another message of this execution/,
	);
});
