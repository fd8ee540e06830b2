/** Settings of the node in n8n's editor, and what a retry makes of dates and keys. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { INodeProperties, INodeType } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { setClock, useSimulator } from '../../harness/fixtures.mts';
import { core, loadNode, retryExecution, runNode, type RunOptions } from '../harness.mts';
import { jsonOf, NUMBER, sendSms, smsRun } from './support.mts';

const sim = await useSimulator();

const THREE = [{ to: '+33639981231' }, { to: '+33639981232' }, { to: '+33639981233' }];
const to = { number: '={{ $json.to }}' };

test.each(['Sms', 'SmsBlacklist', 'SmsCampaign', 'SmsContact', 'SmsList', 'SmsStats'])(
	'the Request Options of %s are those that n8n gives to a node, but for its batches and its SSL switch',
	(node) => {
		const optionsOf = ({ description }: INodeType) =>
			description.properties.filter(({ name }) => name === 'requestOptions');
		/** Without the texts. */
		const shapeOf = (value: unknown): unknown => {
			if (Array.isArray(value)) return value.map(shapeOf);
			if (typeof value !== 'object' || value === null) return value;
			return Object.fromEntries(
				Object.entries(value)
					.filter(
						([name]) => !['displayName', 'description', 'placeholder'].includes(name),
					)
					.map(([name, part]) => [name, shapeOf(part)]),
			);
		};
		const plain = { description: { properties: [], outputs: ['main'] } };
		core.DirectoryLoader.applyDeclarativeNodeOptionParameters(plain as never);
		const [given] = optionsOf(plain as never);
		const all = given.options as INodeProperties[];
		// Batches are made by n8n's router, which runs tools only; the credential has the switch for all nodes.
		const options = all.filter(
			({ name }) => name !== 'batching' && name !== 'allowUnauthorizedCerts',
		);
		expect(options).toHaveLength(all.length - 2);
		expect(shapeOf(optionsOf(loadNode(node)))).toEqual(shapeOf([{ ...given, options }]));
	},
);

describe.each(['send', 'sendByUrl', 'sendBatch'])('%s', (operation) => {
	test('Execute Once sends the first item only', async () => {
		for (const onError of [undefined, 'continueRegularOutput'] as const) {
			sim.reset();
			const { items, error } = await sendSms(
				sim,
				{ operation, ...to },
				{ items: THREE, settings: { executeOnce: true, onError } },
			);
			expect(error).toBeUndefined();
			expect(items).toHaveLength(1);
			expect(sim.messages.map(({ number }) => number)).toEqual(['+33639981231']);
		}
	});

	test('an answer that takes longer than the Timeout is unknown', async () => {
		sim.faults.add({ path: /send$/, do: { kind: 'noAnswerAfterAccept' } });
		const { items } = await sendSms(
			sim,
			{ operation, requestOptions: { timeout: 500 } },
			{ settings: { onError: 'continueRegularOutput' } },
		);
		expect(jsonOf(items)).toMatchObject([{ status: 'unknown', number: NUMBER }]);
		expect(sim.messages).toHaveLength(1);
	});
});

describe('a retry after the scheduled time has passed', () => {
	/** The second of three is refused; by the retry, the date that all three have is past. */
	async function retried(settings: RunOptions['settings'] = {}) {
		const date = new Date(Date.now() + 1_500).toISOString();
		const options = smsRun(sim, THREE, { options: { date, concurrency: 1 } });
		sim.stop(THREE[1].to);
		const first = await runNode(options);
		expect(first.error!.description).toContain('STOP');
		expect(sim.messages).toHaveLength(1);
		setClock(new Date(Date.now() + 62_500).toISOString());
		return await retryExecution(first, options, { settings });
	}

	test('sends nothing twice, and nothing late', async () => {
		const { error } = await retried();
		expect(sim.messages).toHaveLength(1);
		expect(error!.description).not.toContain('No item has been sent');
	});

	test.each([
		['resetAfterAccept', 1],
		['resetBeforeRead', 0],
	] as const)(
		"does not send late what is unknown, 'Send Again if Unknown' or not (%s)",
		async (kind, messages) => {
			const date = new Date(Date.now() + 1_500).toISOString();
			const options = smsRun(sim, [THREE[0]], { options: { date } });
			sim.faults.add({ do: { kind } });
			const first = await runNode(options);
			expect(first.error!.message).toMatch(/unknown/i);
			// The service has sent it, and the date is over a minute ago.
			await sleep(1_600);
			setClock(new Date(Date.now() + 62_500).toISOString());
			sim.clock.advance(62_500);
			const parameters = { ...options.parameters, options: { date, resendUnknown: true } };
			const { error, items } = await retryExecution(first, options, { parameters });
			if (kind === 'resetAfterAccept') expect(items[0].json.snapshotId).toBeTruthy();
			else expect(error!.message).toMatch(/unknown.*in the past/is);
			expect(sim.messages).toHaveLength(messages);
		},
	);
});
