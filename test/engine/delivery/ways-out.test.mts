/** No text leads on to a way that does nothing, or that sends twice (design, guarantee 12). */
import { expect, test } from 'vitest';
import { listOf } from '../../operations.mts';
import { addCampaign } from '../campaign/support.mts';
import { retryExecution, runNode, type RunResult } from '../harness.mts';
import { answer, of, people, reached, sim, sms } from './sending.mts';

const textOf = ({ error, items, hints }: RunResult) =>
	[
		error?.message,
		error?.description,
		JSON.stringify(items.map(({ json }) => json)),
		JSON.stringify(hints),
	].join('\n');

test('what a look-up did not find, and the service refuses now: correct it first', async () => {
	const [one, two] = people(2);
	answer('reset, not accepted', { times: 1 });
	const options = sms('send', [one, two], { resendUnknown: true });
	const failed = await runNode(options);
	sim.stop(String(one.to));
	const retried = await retryExecution(failed, options);
	const again = await retryExecution(retried, options);
	expect(textOf(again)).not.toMatch(/Retry this execution/);
	expect(textOf(again)).toContain('correct what stands in its way, and retry this execution');
});

const sendTest = (more = {}) => {
	const list = sim.service.createList('C');
	const id = addCampaign(sim, 'c1', list.id);
	return of(
		'SmsCampaign',
		{ operation: 'sendTest', campaign: listOf(id, 'id'), number: '={{ $json.to }}', ...more },
		people(3),
	);
};

test('Repeat if Unknown repeats those too that the phone shows', async () => {
	sim.faults.add({ method: 'POST', do: { kind: 'resetAfterAccept' } });
	const options = sendTest();
	const failed = await runNode(options);
	sim.faults.add({ method: 'POST', do: { kind: 'resetBeforeRead' } });
	const retried = await retryExecution(failed, options);
	// One arrived, one didn't: "To repeat what the service doesn't show, turn on, and retry".
	expect(textOf(retried)).not.toMatch(/To repeat what the service doesn't show/);
});

test('with Repeat if Unknown on, a retry sends again: no text says that nothing is sent twice', async () => {
	sim.faults.add({ method: 'POST', do: { kind: 'resetAfterAccept' } });
	sim.faults.add({
		method: 'POST',
		do: { kind: 'json', status: 401, body: { code: 72, error: 'Key' } },
	});
	const options = sendTest({ options: { resendUnknown: true } });
	const failed = await runNode(options);
	await retryExecution(failed, options);
	expect(
		reached().filter((one, at, all) => all.indexOf(one) !== at).length > 0 &&
			/sent twice/.test(textOf(failed)),
	).toBe(false);
});

test('in a sub-workflow: retry its own execution, since n8n shows its error with its caller, too', async () => {
	answer('401 code 72', { skip: 1, times: 1 });
	const failed = await runNode(sms('send', people(3), {}, { mode: 'integrated' }));
	expect(textOf(failed)).toMatch(/sub-workflow/);
});

test('Send by URL, which has no Skip Blacklisted Numbers, says which operations have it', async () => {
	const [one] = people(1);
	sim.stop(String(one.to));
	expect(textOf(await runNode(sms('sendByUrl', [one])))).toContain(
		"'Skip Blacklisted Numbers', a safeguard of Send SMS and",
	);
});

test.each([
	['SmsBlacklist', { operation: 'add', number: '={{ $json.to }}' }],
	['SmsContact', { operation: 'add', number: '={{ $json.to }}' }],
	['SmsCampaign', { operation: 'send' }],
])(
	'%s: something other than a message is not looked up by Get Message Status',
	async (node, parameters) => {
		const list = sim.service.createList('C');
		list.addContact('+33639980999');
		const id = addCampaign(sim, 'c1', list.id);
		sim.faults.add({ method: 'POST', do: { kind: 'resetAfterAccept' } });
		const all = {
			...parameters,
			...(node === 'SmsContact' ? { list: listOf(list.id, 'id') } : {}),
			...(node === 'SmsCampaign' ? { campaign: listOf(id, 'id') } : {}),
		};
		const result = await runNode(
			of(node, all as never, people(1), { settings: { onError: 'continueRegularOutput' } }),
		);
		expect(textOf(result)).not.toContain('Get Message Status');
	},
);

test('Max Credits: the first sentence does nothing until the limit is raised', async () => {
	const failed = await runNode(sms('send', people(5), { maxCredits: 3 }));
	expect(failed.error?.description).not.toMatch(/^Retry/);
});
