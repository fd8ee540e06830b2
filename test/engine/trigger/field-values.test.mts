/** Values of the fields as people paste them and as expressions give them: read, or refused before any request. */
import type { INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { workflow as n8n } from '../harness.mts';
import { Host, now } from './harness.mts';

const simulator = await useSimulator({ now });
const host = (parameters: INodeParameters) => new Host({ simulator, parameters });

test.each([
	['362891,362892'],
	['362891;362892'],
	['362891 362892'],
	['362891\n362892\n'],
	['362891\t362892'],
	[' 362891 ; 362892, '],
	['"362891", "362892"'],
	["'362891';'362892'"],
	['“362891”, «362892»'],
	['["362891","362892"]'],
	['362891.0, 362892.00'],
	['362891,362892,362891'],
	[[362891, '362892']],
	[['362891.0', '"362892"']],
])('snapshot IDs as %j', async (watchSnapshotIds) => {
	const parameters = { events: ['statusChanged'], watch: 'snapshotIds', watchSnapshotIds };
	await host(parameters as INodeParameters).activate();
	expect(simulator.requests.map(({ target }) => target)).toEqual([
		'/v2/messages/status?snapshotId=362891',
		'/v2/messages/status?snapshotId=362892',
	]);
});

const status = { events: ['statusChanged'] };
const ids = (watchSnapshotIds: unknown) =>
	({ ...status, watch: 'snapshotIds', watchSnapshotIds }) as INodeParameters;

test.each<[string, INodeParameters, RegExp]>([
	['no event', { events: [] }, /'Trigger On' is empty/],
	['an unknown event', { events: ['call'] }, /'Trigger On' is "call"/],
	['no number', { ...status, watchNumbers: ' , ' }, /'Phone Numbers to Watch'/],
	['no phone number', { ...status, watchNumbers: 'abc' }, /not a phone number/],
	['an object', { ...status, watchNumbers: { a: 1 } }, /'Phone Numbers to Watch' is an object/],
	['a list, which is no longer watched', { ...status, watch: 'list' }, /'Watch' is "list"/],
	['no snapshot ID', ids(''), /'Snapshot IDs to Watch' is empty/],
	['half a snapshot ID', ids('362891.5'), /"362891.5", which is not a snapshot ID/],
	['a snapshot ID of a spreadsheet', ids('3.62E+05'), /which is not a snapshot ID/],
	['an address', ids('https://sms.example.com'), /which is not a snapshot ID/],
	['quotes only', ids('"", ""'), /'Snapshot IDs to Watch' is empty/],
	['no threshold', { events: ['creditsLow'], creditsThreshold: 0 }, /'Credits Threshold'/],
	['no items', { events: ['reply'], options: { maxItemsPerPoll: 0 } }, /'Max Items per Poll'/],
	['half an emoji', { events: ['reply'], categories: 'a, b\ud83d' }, /'Categories'/],
	[
		'no switch',
		{ events: ['reply'], options: { emitExisting: 'maybe' } },
		/'Also Emit What Is Already There' is "maybe"/,
	],
])('%s stops the activation before any request', async (_, parameters, message) => {
	const failed = await host(parameters)
		.activate()
		.catch((error: unknown) => error);
	expect(failed).toBeInstanceOf(n8n.NodeOperationError);
	expect(failed).toMatchObject({
		message: expect.stringMatching(message),
		failure: { cause: 'configuration-invalid' },
	});
	expect(simulator.requests).toEqual([]);
});
