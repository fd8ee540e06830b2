/**
 * Allowed Countries and Default Country of the credential: whatever sends or adds refuses a number of another country
 * before any request. The operations come from the table of all operations; which country a number belongs to, and how
 * it is read, is in unit/service/{allowed-countries,all-countries,number}.test.mts.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { beforeEach, describe, expect, test } from 'vitest';
import { useSimulator } from '../harness/fixtures.mts';
import {
	firstRows,
	operations,
	prepare,
	reachesNumber,
	takesNumber,
	type Row,
} from '../operations.mts';
import { asksTheEngine, invokes, invokeTool, type Call } from './delivery/agent.mts';
import {
	deduplicationStore,
	loadNode,
	retryExecution,
	runNode,
	type RunOptions,
} from './harness.mts';
import { hurry, jsonOf, linesOf, listOf } from './resources/support.mts';

hurry();
const sim = await useSimulator({ extended: true });
beforeEach(() => deduplicationStore.clear());

const FRENCH = '+33639981234';
const BELGIAN = '+32470123456';
const BRITISH = '+447400123456';

const credential = (allowedCountries?: unknown, more: IDataObject = {}): IDataObject => ({
	baseUrl: sim.baseUrl,
	apiKey: sim.apiKey,
	...(allowedCountries === undefined ? {} : { allowedCountries: allowedCountries as string[] }),
	...more,
});

const withNumber = operations.filter(takesNumber);
const named = (rows: Row[]) =>
	rows.map((row) => [`${row.node} ${row.operation} ${row.what ?? ''}`.trim(), row] as const);

test('each form with a Phone Number is in the table, in one of both kinds', () => {
	const forms = firstRows.filter(({ node, operation }) =>
		loadNode(node).description.properties.some(
			({ name, displayOptions }) =>
				name === 'number' && displayOptions?.show?.operation?.includes(operation) === true,
		),
	);
	const names = (rows: Row[]) =>
		new Set(rows.map(({ node, operation }) => `${node} ${operation}`));
	expect(names(withNumber)).toEqual(names(forms));
	expect([...names(withNumber.filter(reachesNumber))]).toEqual(
		expect.arrayContaining([
			...['Sms send', 'Sms sendBatch', 'Sms sendByUrl', 'Sms sendAndWait'],
			...['SmsCampaign sendTest', 'SmsContact add', 'SmsContact import'],
		]),
	);
	expect([...names(withNumber.filter((row) => !reachesNumber(row)))]).toEqual(
		expect.arrayContaining([
			...['SmsBlacklist add', 'SmsBlacklist remove', 'SmsBlacklist check'],
			...['SmsContact delete', 'SmsStats messageStatus'],
		]),
	);
});

describe.each(named(withNumber.filter(reachesNumber)))('%s', (_, row) => {
	const run = async (
		parameters: INodeParameters,
		allowed: unknown,
		more: Partial<RunOptions> = {},
	) =>
		await runNode({
			node: row.node,
			parameters: { operation: row.operation, ...parameters },
			credential: credential(allowed),
			...more,
		});

	test('a number of another country is refused before any request', async () => {
		const { parameters } = prepare(row, sim);
		const { error, items } = await run(parameters, ['BE', 'GB']);
		expect(error?.message ?? items[0].json.reason).toMatch(/France.*'Allowed Countries'/);
		expect(error?.description ?? items[0].json.description).toContain(
			'Belgium (+32), United Kingdom (+44)',
		);
		expect(sim.requests).toEqual([]);
	});

	test('a number of an allowed country goes as ever', async () => {
		const { parameters, expected } = prepare(row, sim);
		const { error } = await run(parameters, ['FR']);
		expect(error).toBeUndefined();
		expect(linesOf(sim)).toEqual(expected().lines);
	});

	test.each([[null], ['anywhere'], [['FR', 'XX']]])(
		'nothing goes when the list is %j, which can not be read',
		async (allowed) => {
			const { parameters } = prepare(row, sim);
			const { error, items } = await run(parameters, allowed);
			expect(error?.message ?? items[0].json.reason).toContain("'Allowed Countries'");
			expect(sim.requests).toEqual([]);
		},
	);

	test('as a tool that an agent calls', async () => {
		for (const agent of row.waits ? [asksTheEngine] : [invokes, asksTheEngine]) {
			const { parameters } = prepare(row, sim);
			const calls: Call[] = [
				{ input: { number: BRITISH } },
				{ input: { number: BRITISH, allowedCountries: ['GB'], options: {} } },
			];
			const { resultData } = await invokeTool({
				node: row.node,
				parameters: {
					operation: row.operation,
					...parameters,
					number: "={{ $fromAI('number', 'Whom', 'string') }}",
				},
				credential: credential(['FR']),
				agent,
				calls,
			});
			for (const { answer, error } of calls) {
				const heard = `${error?.message ?? resultData.error?.message ?? ''} ${answer ?? ''}`;
				expect(heard).toContain("'Allowed Countries'");
			}
			expect(sim.requests).toEqual([]);
		}
	});
});

test.each(named(withNumber.filter((row) => !reachesNumber(row))))(
	'%s: a number of another country is looked at, deleted or kept from messages as ever',
	async (_, row) => {
		const { parameters, expected } = prepare(row, sim);
		const { items, error } = await runNode({
			node: row.node,
			parameters: { operation: row.operation, ...parameters },
			credential: credential(['BE']),
		});
		const { lines, result, contains } = expected();
		expect(error).toBeUndefined();
		expect(linesOf(sim)).toEqual(lines);
		expect(items[0].json).toMatchObject(result ?? contains ?? {});
	},
);

test.each(named(withNumber))(
	'%s reads a national number by the Default Country',
	async (_, row) => {
		const { parameters } = prepare(row, sim);
		const { items, error } = await runNode({
			node: row.node,
			parameters: { operation: row.operation, ...parameters, number: '0470 12 34 56' },
			credential: credential(undefined, { defaultCountry: 'BE' }),
		});
		const asked = sim.requests.map(
			({ target, bodyText }) => decodeURIComponent(target) + bodyText,
		);
		const told = JSON.stringify([asked, items, error?.message]);
		expect(told).toContain(BELGIAN);
		expect(told).not.toContain('0470');
	},
);

test.each(['send', 'sendBatch', 'sendByUrl'])(
	'%s: a Default Country that is none is named, and nothing is sent',
	async (operation) => {
		const { items, error } = await runNode({
			node: 'Sms',
			parameters: { operation, number: '0470 12 34 56', message: 'Bonjour' },
			credential: credential(undefined, { defaultCountry: 'XX' }),
		});
		expect(error?.message ?? items[0].json.reason).toContain("'Default Country'");
		expect(sim.requests).toEqual([]);
	},
);

describe('many items', () => {
	const ORDER = [FRENCH, BELGIAN, BRITISH];
	const items = ORDER.map((to) => ({ to }));
	const sending = (
		operation: string,
		allowed: unknown,
		more: Partial<RunOptions> = {},
	): RunOptions => ({
		node: 'Sms',
		parameters: { operation, number: '={{ $json.to }}', message: 'Bonjour' },
		items,
		credential: credential(allowed),
		...more,
	});
	/** Several go at once: in the order of the items, whatever that of their arrival. */
	const inOrder = (found: string[]) => found.sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
	const numbers = () => inOrder(sim.messages.map(({ number }) => number));

	test('sendBatch: one outcome each', async () => {
		const { items: sent } = await runNode(sending('sendBatch', ['FR', 'BE']));
		expect(jsonOf(sent).map(({ status, number }) => [status, number])).toEqual([
			['sent', FRENCH],
			['sent', BELGIAN],
			['invalid', BRITISH],
		]);
		expect(numbers()).toEqual([FRENCH, BELGIAN]);
	});

	test('what was sent before the list became shorter keeps its receipt', async () => {
		sim.faults.add({
			path: /send$/,
			match: ({ bodyText }) => bodyText.includes(BRITISH),
			do: { kind: 'status', status: 400 },
		});
		const first = sending('send', undefined, {
			parameters: { ...sending('send', []).parameters, options: { concurrency: 1 } },
		});
		const failed = await runNode(first);
		expect(failed.error?.context.itemIndex).toBe(2);
		expect(numbers()).toEqual([FRENCH, BELGIAN]);
		const retried = await retryExecution(failed, first, {
			credential: credential(['FR']),
			settings: { onError: 'continueErrorOutput' },
		});
		expect(
			jsonOf(retried.items).map(({ number, snapshotId }) => [number, typeof snapshotId]),
		).toEqual([
			[FRENCH, 'string'],
			[BELGIAN, 'string'],
		]);
		expect(retried.errorItems.map(({ json }) => json.error)).toEqual([
			expect.stringContaining("'Allowed Countries'"),
		]);
		expect(numbers()).toEqual([FRENCH, BELGIAN]);
	});

	test('what may have been sent before stays unknown, and is not sent again', async () => {
		sim.faults.add({ path: /send$/, do: { kind: 'resetBeforeRead' } });
		const first = sending('send', undefined, { items: [{ to: BRITISH }] });
		const failed = await runNode(first);
		const parameters = {
			...first.parameters,
			options: { resendUnknown: true },
		};
		const limited = { parameters, credential: credential(['FR']) };
		const retried = await retryExecution(failed, first, limited);
		expect(retried.error?.message).toMatch(/unknown.*'Allowed Countries'/i);
		expect(retried.error?.description).not.toContain("turn 'Send Again if Unknown' on");
		expect(retried.error?.description).toContain('correct what stands in its way, and retry');
		expect(numbers()).toEqual([]);
		const allowed = await retryExecution(failed, first, {
			parameters,
			credential: credential(['GB']),
		});
		expect(allowed.error).toBeUndefined();
		expect(numbers()).toEqual([BRITISH]);
	});

	test('a retry sends to nobody whom it may not send to any more, and does the rest', async () => {
		sim.faults.add({ times: Infinity, do: { kind: 'status', status: 400 } });
		const first = sending('send', undefined);
		const failed = await runNode(first);
		sim.reset();
		const retried = await retryExecution(failed, first, { credential: credential(['BE']) });
		expect(retried.error?.description).toContain("'Allowed Countries'");
		expect(numbers()).toEqual([BELGIAN]);
	});

	test('a national number belongs to the Default Country', async () => {
		const belgian = { defaultCountry: 'BE' };
		const run = async (allowed: string[]) =>
			await runNode({
				...sending('send', allowed),
				items: [{ to: '0470 12 34 56' }],
				credential: credential(allowed, belgian),
			});
		expect((await run(['FR'])).error?.message).toContain('Belgium');
		expect(sim.requests).toEqual([]);
		expect((await run(['BE'])).error).toBeUndefined();
		expect(numbers()).toEqual([BELGIAN]);
	});

	test.each(['send', 'sendBatch'])('%s: nor in a dry run or a test run', async (operation) => {
		const dry = await runNode(
			sending(operation, ['FR', 'BE'], {
				parameters: { ...sending(operation, []).parameters, safeguards: { dryRun: true } },
				settings: { onError: 'continueRegularOutput' },
			}),
		);
		expect(JSON.stringify(dry.items[2].json)).toContain("'Allowed Countries'");
		const trial = await runNode(
			sending(operation, ['BE', 'GB'], {
				credential: credential(['BE', 'GB'], {
					manualRuns: 'testNumber',
					testNumber: FRENCH,
				}),
				items: [{ to: BELGIAN }],
			}),
		);
		expect(trial.error?.message).toContain(
			'\'Test Number\' "+33639981234" is a number of France',
		);
		expect(numbers()).toEqual([]);
	});
});

describe('contacts', () => {
	const contactRun = (operation: string, there: string[], more: IDataObject = {}): RunOptions => {
		const list = sim.service.createList('Clients');
		for (const number of there) list.addContact(number);
		const parameters = { operation, list: listOf(list.id, 'id'), number: '={{ $json.to }}' };
		return {
			node: 'SmsContact',
			credential: credential(),
			items: [{ to: FRENCH }, { to: BRITISH }],
			parameters: { ...parameters, ...more } as INodeParameters,
		};
	};
	const onlyFrench = { credential: credential(['FR']) };
	const changes = () => sim.requests.filter(({ method }) => method !== 'GET');

	test.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
		'sync removes nobody because of their country (%s)',
		async (onError) => {
			const all = { removeMissing: true, maxRemovals: 100 };
			const { items, errorItems, error } = await runNode({
				...contactRun('sync', [FRENCH, BRITISH], all),
				...onlyFrench,
				settings: { onError },
			});
			const told = JSON.stringify([items, errorItems, error?.message]);
			expect(told).toContain("'Allowed Countries'");
			expect(changes()).toEqual([]);
		},
	);

	test.each(['upsert', 'add', 'import'])(
		'%s: a retry with a shorter list adds nobody',
		async (operation) => {
			const there = operation === 'import' ? [BRITISH] : [];
			const options = contactRun(operation, there, { options: { resendUnknown: true } });
			options.items = [{ to: BRITISH }];
			sim.faults.add({
				method: 'POST',
				times: Infinity,
				do: { kind: 'status', status: 500 },
			});
			const failed = await runNode(options);
			expect(failed.error).toBeDefined();
			sim.faults.clear();
			const before = changes().length;
			const retried = await retryExecution(failed, options, onlyFrench);
			expect(retried.error).toBeDefined();
			expect(changes()).toHaveLength(before);
		},
	);
});

describe('a campaign goes to its list', () => {
	/** A campaign to a list with these numbers. */
	function campaign(...numbers: string[]) {
		const list = sim.service.createList('Clients');
		for (const number of numbers) list.addContact(number);
		const id = sim.service.createId();
		sim.service.campaigns.set(id, {
			...{ id, kind: 'marketing', name: id, message: 'Bonjour', listId: list.id },
			...{ creditsUsed: 0, state: 'CREATED' },
		});
		return { id, list: list.id };
	}
	const run = async (parameters: INodeParameters, allowed: unknown) =>
		await runNode({ node: 'SmsCampaign', parameters, credential: credential(allowed) });
	const sends = () => sim.requestsTo('POST', /./);

	describe.each([false, true])('Send Without Checks %s', (sendAnyway) => {
		const sending = (id: string): INodeParameters => ({
			operation: 'send',
			campaign: listOf(id, 'id'),
			options: { sendAnyway },
		});

		test('send: with one contact of another country, nobody gets it', async () => {
			const { id } = campaign(FRENCH, BRITISH, '+18765550123', '0639981235');
			const { error } = await run(sending(id), ['FR']);
			expect(error?.message).toBe(
				"'Allowed Countries' of the credential doesn't allow 2 of 4 contacts of the list: +447400123456, +18765550123",
			);
			expect(sends()).toEqual([]);
			const all = await run(sending(id), ['FR', 'BE']);
			expect(all.error).toBeDefined();
			expect(sends()).toEqual([]);
		});

		test('send: a contact counts also where its values make no sense', async () => {
			const { id } = campaign(FRENCH);
			const records = [
				{ id: '1', identifier: FRENCH, attributes: {} },
				{ id: '2', identifier: BRITISH, attributes: 'none' },
				{ id: '3', attributes: {} },
			];
			const body = records as unknown as IDataObject;
			sim.faults.add({ path: /contacts$/, times: Infinity, do: { kind: 'json', body } });
			const { error } = await run(sending(id), ['FR']);
			expect(error?.message).toContain("doesn't allow 2 of 3 contacts");
			expect(sends()).toEqual([]);
		});

		test('send: with none, it goes', async () => {
			const { id } = campaign(FRENCH, '0690123456', BELGIAN);
			const { error } = await run(sending(id), ['FR', 'BE']);
			expect(error).toBeUndefined();
			expect(sim.messages).toHaveLength(3);
		});

		test('send: nothing goes where the list can not be seen', async () => {
			const { id } = campaign(FRENCH);
			sim.faults.add({ method: 'GET', times: Infinity, do: { kind: 'status', status: 404 } });
			const { error } = await run(sending(id), ['FR']);
			expect(error?.message).toContain("can't show the contacts");
			expect(sends()).toEqual([]);
			sim.faults.clear();
			sim.faults.add({ method: 'GET', times: Infinity, do: { kind: 'status', status: 500 } });
			expect((await run(sending(id), ['FR'])).error?.message).toContain(
				'could not be checked',
			);
			expect(sends()).toEqual([]);
		});
	});

	test('a contact that may be of either country needs both, for Preview and for Send', async () => {
		const { id, list } = campaign(FRENCH, '687751234', '0687751235');
		const sending: INodeParameters = { operation: 'send', campaign: listOf(id, 'id') };
		const previewing: INodeParameters = {
			operation: 'preview',
			...{ name: 'Soldes', message: 'Bonjour', list: listOf(list, 'id') },
		};
		const { error } = await run(sending, ['FR']);
		expect(error?.message).toMatch(/doesn't allow 1 of 3 contacts of the list: 687751234$/);
		expect(error?.description).toContain('+33687751234 or +687751234');
		const preview = await run(previewing, ['FR']);
		expect(JSON.stringify(preview.items[0].json.problems)).toContain("'Allowed Countries'");
		expect(sends()).toEqual([]);
		const allowed = await run(previewing, ['FR', 'NC']);
		expect(allowed.items[0].json).toMatchObject({ recipients: 3, problems: [] });
		expect((await run(sending, ['FR', 'NC'])).error).toBeUndefined();
		expect(sim.messages).toHaveLength(3);
	});

	test('create: one with a date goes by itself, perhaps', async () => {
		const { list } = campaign(FRENCH, BRITISH);
		const creation = (options: INodeParameters): INodeParameters => ({
			operation: 'create',
			name: 'Soldes',
			message: 'Bonjour',
			list: listOf(list, 'id'),
			options,
		});
		const dated = creation({ date: '2036-01-15T10:00:00' });
		expect((await run(dated, ['FR'])).error?.message).toContain('1 of 2 contacts');
		expect(sends()).toEqual([]);
		expect((await run(creation({}), ['FR'])).error).toBeUndefined();
		expect((await run(dated, undefined)).error).toBeUndefined();
		expect((await run(dated, ['FR', 'GB'])).error).toBeUndefined();
		expect(sends()).toHaveLength(3);
	});
});
