/**
 * Allowed Countries and Default Country of the credential: whatever sends or adds refuses a number of another country
 * before any request. The operations come from the table of all operations; which country a number belongs to, and how
 * it is read, is in unit/service/{allowed-countries,all-countries,number}.test.mts.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import {
	firstRows,
	listOf,
	operations,
	prepare,
	reachesNumber,
	takesNumber,
	type Row,
} from '../operations.mts';
import { addCampaign } from './campaign/support.mts';
import { asksTheEngine, invokes, invokeTool, type Call } from './delivery/agent.mts';
import { KEY } from './delivery/answers.mts';
import { CONTINUE, ERROR_OUTPUT, of, SENDING, sms, tries } from './delivery/sending.mts';
import { answer, changes, reached, sim, spoil } from './delivery/service.mts';
import { jsonOf, textOf } from './delivery/support.mts';
import { loadNode, runNode, succeeded, type RunResult } from './harness.mts';
import { linesOf } from './resources/support.mts';

const FRENCH = '+33639981234';
const BELGIAN = '+32470123456';
const BRITISH = '+447400123456';
const ALLOWED = "'Allowed Countries'";

const credential = (allowedCountries?: unknown, more: IDataObject = {}): IDataObject => ({
	...{ baseUrl: sim.baseUrl, apiKey: KEY },
	...(allowedCountries === undefined ? {} : { allowedCountries: allowedCountries as string[] }),
	...more,
});
const allowing = (...countries: string[]) => ({ credential: credential(countries) });
/** The reason and the advice, of the run or of its first item. */
const toldIn = ({ error, items }: RunResult) => {
	const [{ json = {} } = {}] = items;
	return [
		error?.message ?? json.reason,
		error?.description ?? json.description ?? json.advice,
	].join('\n');
};
const numbersIn = (items: string[]) => items.map((to): IDataObject => ({ to, text: 'Bonjour' }));

const withNumber = operations.filter(takesNumber);
/** They look a number up, delete it, or keep it from messages. */
const looking = withNumber.filter((row) => !reachesNumber(row));
const named = (rows: Row[]) =>
	rows.map((row) => [`${row.node} ${row.operation} ${row.what ?? ''}`.trim(), row] as const);
const play = async (row: Row, parameters: INodeParameters, more: IDataObject) =>
	await runNode({
		node: row.node,
		parameters: { operation: row.operation, ...parameters },
		credential: more,
	});

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
	expect([...names(looking)]).toEqual(
		expect.arrayContaining([
			...['SmsBlacklist add', 'SmsBlacklist remove', 'SmsBlacklist check'],
			...['SmsContact delete', 'SmsStats messageStatus'],
		]),
	);
});

describe.each(named(withNumber.filter(reachesNumber)))('%s', (_, row) => {
	test('a number of another country is refused before any request', async () => {
		const { parameters } = prepare(row, sim);
		const told = toldIn(await play(row, parameters, credential(['BE', 'GB'])));
		expect(told).toMatch(/France.*'Allowed Countries'/);
		expect(told).toContain('Belgium (+32), United Kingdom (+44)');
		expect(sim.requests).toEqual([]);
	});

	test('a number of an allowed country goes as ever', async () => {
		const { parameters, expected } = prepare(row, sim);
		succeeded(await play(row, parameters, credential(['FR'])));
		// The key is escaped in the form of the URL.
		expect(linesOf(sim).map(decodeURIComponent)).toEqual(
			expected().lines.map(decodeURIComponent),
		);
	});

	test.each([[null], ['anywhere'], [['FR', 'XX']]])(
		'nothing goes with the list %j',
		async (allowed) => {
			const { parameters } = prepare(row, sim);
			expect(toldIn(await play(row, parameters, credential(allowed)))).toContain(ALLOWED);
			expect(sim.requests).toEqual([]);
		},
	);

	test.each(row.waits ? [asksTheEngine] : [invokes, asksTheEngine])(
		'as a tool (%#)',
		async (agent) => {
			const { parameters } = prepare(row, sim);
			const calls: Call[] = [{}, { allowedCountries: ['GB'], options: {} }].map((more) => ({
				input: { number: BRITISH, ...more },
			}));
			const number = "={{ $fromAI('number', 'Whom', 'string') }}";
			const { resultData } = await invokeTool({
				node: row.node,
				parameters: { operation: row.operation, ...parameters, number },
				...allowing('FR'),
				agent,
				calls,
			});
			for (const { answer: told, error } of calls)
				expect(`${(error ?? resultData.error)?.message} ${told}`).toContain(ALLOWED);
			expect(sim.requests).toEqual([]);
		},
	);
});

test.each(named(looking))('%s: a number of another country goes as ever', async (_, row) => {
	const { parameters, expected } = prepare(row, sim);
	const { items, error } = await play(row, parameters, credential(['BE']));
	const { lines, result, contains } = expected();
	expect(error).toBeUndefined();
	expect(linesOf(sim)).toEqual(lines);
	expect(items[0].json).toMatchObject(result ?? contains ?? {});
});

test.each(named(withNumber))('%s reads a number by the Default Country', async (_, row) => {
	const { parameters } = prepare(row, sim);
	const belgian = credential(undefined, { defaultCountry: 'BE' });
	const { items, error } = await play(row, { ...parameters, number: '0470 12 34 56' }, belgian);
	const asked = sim.requests.map(({ target, bodyText }) => decodeURIComponent(target) + bodyText);
	const told = JSON.stringify([asked, items, error?.message]);
	expect(told).toContain(BELGIAN);
	expect(told).not.toContain('0470');
});

test.each(SENDING)('%s names a Default Country that is none', async (operation) => {
	const nowhere = { credential: credential(undefined, { defaultCountry: 'XX' }) };
	const result = await runNode(sms(operation, numbersIn(['0470 12 34 56']), {}, nowhere));
	expect(toldIn(result)).toContain("'Default Country'");
	expect(sim.requests).toEqual([]);
});

describe('many items', () => {
	const THREE = numbersIn([FRENCH, BELGIAN, BRITISH]);

	test('sendBatch: one outcome each', async () => {
		const result = await runNode(sms('sendBatch', THREE, {}, allowing('FR', 'BE')));
		expect(jsonOf(result).map(({ status, number }) => [status, number])).toEqual([
			['sent', FRENCH],
			['sent', BELGIAN],
			['invalid', BRITISH],
		]);
		expect(reached()).toEqual([FRENCH, BELGIAN]);
	});

	test('what was sent before the list became shorter keeps its receipt', async () => {
		spoil(BRITISH, { kind: 'status', status: 400 });
		const shorter = { ...allowing('FR'), settings: ERROR_OUTPUT };
		const [failed, retried] = await tries(sms('send', THREE), shorter);
		expect(failed.error?.context.itemIndex).toBe(2);
		const kept = jsonOf(retried).map(({ number, snapshotId }) => [number, typeof snapshotId]);
		expect(kept).toEqual([
			[FRENCH, 'string'],
			[BELGIAN, 'string'],
		]);
		expect(retried.errorItems.map(({ json }) => json.error)).toEqual([
			expect.stringContaining(ALLOWED),
		]);
		expect(reached()).toEqual([FRENCH, BELGIAN]);
	});

	test('what may have been sent before stays unknown, and is sent again where that is allowed', async () => {
		answer('reset, not accepted', { times: 1 });
		const options = sms('send', numbersIn([BRITISH]), { resendUnknown: true });
		const [, retried, allowed] = await tries(options, allowing('FR'), () => {
			expect(reached()).toEqual([]);
			return allowing('GB');
		});
		expect(retried.error?.message).toMatch(/unknown.*'Allowed Countries'/i);
		expect(textOf(retried)).not.toContain("turn 'Send Again if Unknown' on");
		expect(textOf(retried)).toContain('correct what stands in its way, and retry');
		expect(allowed.error).toBeUndefined();
		expect(reached()).toEqual([BRITISH]);
	});

	test('a retry sends to nobody whom it may not send to any more, and does the rest', async () => {
		answer('403 page');
		const [, retried] = await tries(sms('send', THREE), () => {
			sim.faults.clear();
			return allowing('BE');
		});
		expect(textOf(retried)).toContain(ALLOWED);
		expect(reached()).toEqual([BELGIAN]);
	});

	test('a national number belongs to the Default Country', async () => {
		const run = async (allowed: string[]) => {
			const more = { credential: credential(allowed, { defaultCountry: 'BE' }) };
			return await runNode(sms('send', numbersIn(['0470 12 34 56']), {}, more));
		};
		expect(textOf(await run(['FR']))).toContain('Belgium');
		expect(sim.requests).toEqual([]);
		expect((await run(['BE'])).error).toBeUndefined();
		expect(reached()).toEqual([BELGIAN]);
	});

	test.each(['send', 'sendBatch'])('%s: nor in a dry run or a test run', async (operation) => {
		const more = { ...allowing('FR', 'BE'), settings: CONTINUE };
		const dry = await runNode(sms(operation, THREE, { dryRun: true }, more));
		expect(JSON.stringify(dry.items[2].json)).toContain(ALLOWED);
		const own = { manualRuns: 'testNumber', testNumber: FRENCH };
		const trial = { credential: credential(['BE', 'GB'], own) };
		const { error } = await runNode(sms(operation, numbersIn([BELGIAN]), {}, trial));
		expect(error?.message).toContain('\'Test Number\' "+33639981234" is a number of France');
		expect(reached()).toEqual([]);
	});
});

describe('contacts', () => {
	const contactRun = (
		operation: string,
		there: string[],
		items: string[],
		more: IDataObject = {},
	) => {
		const list = sim.service.createList('Clients');
		for (const number of there) list.addContact(number);
		const rest = { list: listOf(list.id, 'id'), number: '={{ $json.to }}', ...more };
		return of('SmsContact', { operation, ...rest }, numbersIn(items));
	};

	test.each([{}, CONTINUE, ERROR_OUTPUT])(
		'sync removes nobody by country (%j)',
		async (settings) => {
			const all = { removeMissing: true, maxRemovals: 100 };
			const sync = contactRun('sync', [FRENCH, BRITISH], [FRENCH, BRITISH], all);
			const result = await runNode({ ...sync, ...allowing('FR'), settings });
			const { items, errorItems, error } = result;
			expect(JSON.stringify([items, errorItems, error?.message])).toContain(ALLOWED);
			expect(changes()).toEqual([]);
		},
	);

	test.each(['upsert', 'add', 'import'])(
		'%s: a retry with a shorter list adds nobody',
		async (operation) => {
			const there = operation === 'import' ? [BRITISH] : [];
			const settings = { options: { resendUnknown: true } };
			const options = contactRun(operation, there, [BRITISH], settings);
			const down = { kind: 'status', status: 500 } as const;
			sim.faults.add({ method: 'POST', times: Infinity, do: down });
			let before = 0;
			const [failed, retried] = await tries(options, () => {
				sim.faults.clear();
				before = changes().length;
				return allowing('FR');
			});
			expect(failed.error).toBeDefined();
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
		return { id: addCampaign(sim, sim.service.createId(), list.id), list: list.id };
	}
	const run = async (parameters: INodeParameters, allowed: unknown) =>
		await runNode({ node: 'SmsCampaign', parameters, credential: credential(allowed) });
	const sending = (id: string, sendAnyway = false): INodeParameters => ({
		...{ operation: 'send', campaign: listOf(id, 'id') },
		options: { sendAnyway },
	});

	describe.each([false, true])('Send Without Checks %s', (anyway) => {
		const send = async (id: string, ...allowed: string[]) =>
			await run(sending(id, anyway), allowed);

		test('with one contact of another country, nobody gets it', async () => {
			const { id } = campaign(FRENCH, BRITISH, '+18765550123', '0639981235');
			const { error } = await send(id, 'FR');
			expect(error?.message).toBe(
				"'Allowed Countries' of the credential doesn't allow 2 of 4 contacts of the list: +447400123456, +18765550123",
			);
			expect((await send(id, 'FR', 'BE')).error).toBeDefined();
			expect(changes()).toEqual([]);
		});

		test('a contact counts also where its values make no sense', async () => {
			const { id } = campaign(FRENCH);
			const body = [
				{ id: '1', identifier: FRENCH, attributes: {} },
				{ id: '2', identifier: BRITISH, attributes: 'none' },
				{ id: '3', attributes: {} },
			];
			sim.faults.add({ path: /contacts$/, times: Infinity, do: { kind: 'json', body } });
			expect(textOf(await send(id, 'FR'))).toContain("doesn't allow 2 of 3 contacts");
			expect(changes()).toEqual([]);
		});

		test('with contacts of allowed countries only, it goes', async () => {
			const { id } = campaign(FRENCH, '0690123456', BELGIAN);
			expect((await send(id, 'FR', 'BE')).error).toBeUndefined();
			expect(sim.messages).toHaveLength(3);
		});

		test.each([
			[404, "can't show the contacts"],
			[500, 'could not be checked'],
		])('nothing goes where the list can not be seen: HTTP %i', async (status, says) => {
			const { id } = campaign(FRENCH);
			sim.faults.add({ method: 'GET', times: Infinity, do: { kind: 'status', status } });
			expect(textOf(await send(id, 'FR'))).toContain(says);
			expect(changes()).toEqual([]);
		});
	});

	test('a contact that may be of either country needs both, for Preview and for Send', async () => {
		const { id, list } = campaign(FRENCH, '687751234', '0687751235');
		const previewing: INodeParameters = {
			...{ operation: 'preview', name: 'Soldes', message: 'Bonjour' },
			list: listOf(list, 'id'),
		};
		const result = await run(sending(id), ['FR']);
		expect(result.error?.message).toMatch(
			/doesn't allow 1 of 3 contacts of the list: 687751234$/,
		);
		expect(textOf(result)).toContain('+33687751234 or +687751234');
		const preview = await run(previewing, ['FR']);
		expect(JSON.stringify(preview.items[0].json.problems)).toContain(ALLOWED);
		expect(changes()).toEqual([]);
		const allowed = await run(previewing, ['FR', 'NC']);
		expect(allowed.items[0].json).toMatchObject({ recipients: 3, problems: [] });
		expect((await run(sending(id), ['FR', 'NC'])).error).toBeUndefined();
		expect(sim.messages).toHaveLength(3);
	});

	test('create: one with a date goes by itself, perhaps', async () => {
		const { list } = campaign(FRENCH, BRITISH);
		const creation = (options: INodeParameters): INodeParameters => ({
			...{ operation: 'create', name: 'Soldes', message: 'Bonjour' },
			...{ list: listOf(list, 'id'), options },
		});
		const dated = creation({ date: '2036-01-15T10:00:00' });
		expect(textOf(await run(dated, ['FR']))).toContain('1 of 2 contacts');
		expect(changes()).toEqual([]);
		expect((await run(creation({}), ['FR'])).error).toBeUndefined();
		expect((await run(dated, undefined)).error).toBeUndefined();
		expect((await run(dated, ['FR', 'GB'])).error).toBeUndefined();
		expect(changes()).toHaveLength(3);
	});
});
