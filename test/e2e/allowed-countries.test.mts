/**
 * Allowed Countries of the credential in a real n8n: a client of the MCP Server Trigger
 * says what it likes, and no request is made for a number of another country.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { McpClient } from '../harness/mcp.mts';
import type { WorkflowDefinition } from '../harness/n8n.mts';
import { firstRows, listOf, prepare, reachesNumber, type Row } from '../operations.mts';
import { credentialOf, packageName, useEnvironment } from './support.mts';

const FRENCH = '+33639981234';
const LIMITED = 'SMS to France only';
const ELSEWHERE = [
	'+447400123456',
	'00 44 7400 123456',
	'+32 470 12 34 56',
	'+18765550123',
	'+79161234567',
	'+689 87 12 34 56',
];

const { n8n, simulator } = await useEnvironment({ simulator: { extended: true } });
type Tool = WorkflowDefinition['nodes'][number];

/** An execution waits only where the engine runs a node. */
const rows = firstRows.filter((row) => reachesNumber(row) && row.waits !== true);
const nameOf = ({ node, operation, what = '' }: Row) =>
	`${node}_${operation}_${what}`.replaceAll(/\W/g, '_');
const fromModel = (name: string) => `={{ $fromAI('${name}', 'The ${name}', 'string') }}`;

function tool(node: string, name: string, parameters: INodeParameters): Tool {
	return {
		name,
		type: `${packageName}.${node[0].toLowerCase()}${node.slice(1)}Tool`,
		parameters,
		credentials: { smsServiceApi: { id: null, name: LIMITED } },
	};
}

/** The tool of a row, whose number the model says. The simulator gives the same IDs after each reset. */
function toolOf(row: Row): Tool {
	const { parameters } = prepare(row, simulator);
	simulator.reset();
	return tool(row.node, nameOf(row), {
		operation: row.operation,
		...parameters,
		number: fromModel('number'),
	});
}

const campaign: Tool = tool('SmsCampaign', 'Send_campaign', {
	operation: 'send',
	campaign: listOf(fromModel('campaign'), 'id'),
	options: { sendAnyway: "={{ $fromAI('sendAnyway', 'Whether to look', 'boolean') }}" },
} as INodeParameters);

let mcp: McpClient;
let credential: string;
beforeAll(async () => {
	credential = await n8n.createCredential('smsServiceApi', LIMITED, {
		...credentialOf(simulator),
		allowedCountries: ['FR'],
	});
	mcp = await McpClient.connect(n8n, [...rows.map(toolOf), campaign]);
});
afterAll(async () => {
	await mcp?.close();
	await n8n.rest.delete(`/credentials/${credential}`);
});

/** What a model may say beside the number, in the hope that something reads it. */
const ANYTHING: IDataObject = {
	allowedCountries: ['GB', 'BE', 'PF'],
	smsServiceApi: { allowedCountries: [] },
	options: { allowedCountries: [], country: 'GB' },
	country: 'GB',
	defaultCountry: 'GB',
};

describe.each(rows.map((row) => [nameOf(row), row] as const))('%s', (name, row) => {
	test('no request for a number elsewhere, whatever the client says', async () => {
		prepare(row, simulator);
		for (const [index, number] of ELSEWHERE.entries()) {
			const words = index % 2 === 0 ? { number } : { ...ANYTHING, number };
			const { text } = await mcp.call(name, words);
			expect(text).toContain("'Allowed Countries'");
			expect(text).not.toContain(simulator.apiKey);
		}
		expect(simulator.requests).toEqual([]);
	});

	test('a number in France goes as ever', async () => {
		const { expected } = prepare(row, simulator);
		const { text, isError } = await mcp.call(name, { number: FRENCH });
		expect(isError, text).toBe(false);
		expect(simulator.requests.map(({ method, target }) => `${method} ${target}`)).toEqual(
			expected().lines,
		);
	});
});

test.each([false, true])(
	'a campaign whose list has one elsewhere: Send Without Checks %s',
	async (sendAnyway) => {
		const { service } = simulator;
		const list = service.createList('Clients');
		for (const number of [FRENCH, ELSEWHERE[0]]) list.addContact(number);
		const id = service.createId();
		service.campaigns.set(id, {
			...{ id, kind: 'marketing', name: id, message: 'Bonjour', listId: list.id },
			...{ creditsUsed: 0, state: 'CREATED' },
		});
		const { text } = await mcp.call('Send_campaign', { campaign: id, sendAnyway });
		expect(text).toContain("'Allowed Countries'");
		expect(simulator.requestsTo('POST', /./)).toEqual([]);
		expect(simulator.messages).toEqual([]);
	},
);
