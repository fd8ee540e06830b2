/**
 * The same for what is no message: lists, contacts, blacklists and campaigns. Each item is carried out
 * once, what was deleted once is not deleted again, and what is reported is what happened.
 */
import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { offered, placed } from '../../harness/settings.mts';
import type { RecordedRequest } from '../../simulator/index.mts';
import { retryExecution, runNode, type RunOptions, type RunResult } from '../harness.mts';
import { listOf } from '../resources/support.mts';
import { isDoubtful, isReceipt, type AnswerName } from './answers.mts';
import { NO_TROUBLE } from './history.mts';
import { checkArrivals, checkKey, forbid, Violation } from './judge.mts';
import { retryable } from './support.mts';
import { retrying, type World } from './world.mts';

const OPERATIONS = [
	'blacklist add',
	'blacklist remove',
	'list create',
	'list delete',
	'list empty',
	'contact add',
	'contact delete',
	'campaign create',
	'campaign send',
] as const;
type Operation = (typeof OPERATIONS)[number];

interface Settings {
	/** "Repeat if Unknown". */
	repeat: boolean;
	concurrency: number;
	onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	tries: number;
}

interface Try {
	/** By item: how its requests are answered, one after the other; then as they should. */
	answers: AnswerName[][];
	/** The execution is stopped when so many requests have arrived. */
	stopAt: number | null;
	plainErrors: boolean;
	/** Before it, somebody else puts back what was deleted. */
	refilled: boolean;
	/** Null: with the stored workflow. */
	corrections: Partial<Settings> | null;
}

/** One execution and its retries. */
export interface Deeds {
	operation: Operation;
	items: number;
	settings: Settings;
	tries: Try[];
}

const NAMES = [
	'429',
	'503 Retry-After 0',
	'400 code 12',
	'403 page',
	'401 code 72',
	'400 with the key',
	'reset, not accepted',
	'502 page, not accepted',
	'504 code 504, not accepted',
	'reset, accepted',
	'502 page, accepted',
	'503 page, accepted',
	'504 code 504, accepted',
	'504 code 4, accepted',
	'500 code 1000, accepted',
] as const satisfies AnswerName[];

const answers = fc.oneof(
	{ withCrossShrink: true },
	{ weight: 3, arbitrary: fc.constant<AnswerName[]>([]) },
	{
		weight: 4,
		arbitrary: fc.array(fc.constantFrom<AnswerName>('ok', ...NAMES), {
			minLength: 1,
			maxLength: 4,
		}),
	},
);
const settings: fc.Arbitrary<Settings> = fc.record({
	repeat: fc.boolean(),
	concurrency: fc.integer({ min: 1, max: 3 }),
	onError: fc.constantFrom(
		'stopWorkflow' as const,
		'stopWorkflow' as const,
		'continueRegularOutput' as const,
		'continueErrorOutput' as const,
	),
	tries: fc.integer({ min: 1, max: 2 }),
});
export const deeds: fc.Arbitrary<Deeds> = fc.record({
	operation: fc.constantFrom(...OPERATIONS),
	items: fc.integer({ min: 1, max: 3 }),
	settings,
	tries: fc.array(
		fc.record({
			answers: fc.array(answers, { minLength: 1, maxLength: 3 }),
			stopAt: fc.option(fc.integer({ min: 1, max: 4 }), { freq: 1 }).map((at) => at),
			plainErrors: fc.boolean(),
			refilled: fc.boolean(),
			corrections: fc.option(
				fc.record(
					{
						repeat: fc.boolean(),
						concurrency: fc.integer({ min: 1, max: 3 }),
						onError: fc.constantFrom('stopWorkflow' as const),
					},
					{ requiredKeys: [] },
				),
			),
		}),
		{ minLength: 1, maxLength: 3 },
	),
});

/** For a person. */
export function describeDeeds({ operation, items, settings: set, tries }: Deeds): string {
	const lines = tries.map((one, index) => {
		const parts = [
			index === 0
				? 'first'
				: one.corrections
					? `retry with ${JSON.stringify(one.corrections)}`
					: 'retry as stored',
			one.refilled && index > 0 && 'after somebody put it back',
			one.stopAt !== null && `stopped at request ${one.stopAt}`,
			one.plainErrors && 'plain errors',
			...one.answers
				.slice(0, items)
				.map((each, item) => each.length > 0 && `item ${item} answers: ${each.join(', ')}`),
		];
		return `${index + 1}. ${parts.filter(Boolean).join('; ')}`;
	});
	return [`${operation} of ${items} items, ${JSON.stringify(set)}`, ...lines].join('\n');
}

/** How an operation is run and recognised. */
interface Work {
	node: string;
	parameters: INodeParameters;
	items: IDataObject[];
	/** What has to be done for an item. */
	parts: string[];
	/** Which item, and which part of its work, a request is. */
	find: (request: RecordedRequest) => { item: number; part: string } | undefined;
	/** Puts back what was deleted, where that is what the operation does. */
	refill?: (item: number) => void;
	/** A deletion: a later try may do again what may have been done. */
	repeatsFreely?: boolean;
}

const number = (item: number) => `+3363998000${item}`;

function prepare({ sim: { service } }: World, operation: Operation, count: number): Work {
	const indexes = Array.from({ length: count }, (_, index) => index);
	const numbers = indexes.map((item) => ({ to: number(item) }));
	const byText =
		(texts: string[]) =>
		({ target, bodyText }: RecordedRequest) => {
			const wire = decodeURIComponent(target) + bodyText;
			const item = texts.findIndex((text) => wire.includes(text));
			return item < 0 ? undefined : { item, part: 'it' };
		};
	const it = {
		parts: ['it'],
		find: byText(numbers.map(({ to }) => to)),
		items: numbers,
	};
	const lists = () => indexes.map((item) => service.createList(`List ${item}`));
	const fill = (id: string, item: number) =>
		service.addContacts(id, 1, () => ({ identifier: number(item) }));
	switch (operation) {
		case 'blacklist add':
			return {
				...it,
				node: 'SmsBlacklist',
				parameters: { operation: 'add', number: '={{ $json.to }}' },
			};
		case 'blacklist remove': {
			const refill = (item: number) =>
				void service.addToBlacklist('unsubscribers', number(item));
			indexes.forEach(refill);
			return {
				...it,
				node: 'SmsBlacklist',
				parameters: { operation: 'remove', number: '={{ $json.to }}' },
				repeatsFreely: true,
				refill,
			};
		}
		case 'list create': {
			const names = indexes.map((item) => `Clients ${item}`);
			return {
				node: 'SmsList',
				parameters: {
					operation: 'create',
					name: '={{ $json.name }}',
					columns: {
						column: [
							{ name: 'Ville', type: 'STRING' },
							{ name: 'Points', type: 'NUMBER' },
						],
					},
				},
				items: names.map((name) => ({ name })),
				parts: ['list', 'Ville', 'Points'],
				find({ path, bodyText }) {
					const { name } = JSON.parse(bodyText) as { name: string };
					const listId = /^\/v2\/lists\/([^/]+)\/fields$/.exec(path)?.[1];
					if (listId === undefined) return { item: names.indexOf(name), part: 'list' };
					return { item: names.indexOf(service.lists.get(listId)!.name), part: name };
				},
			};
		}
		case 'list delete': {
			const own = lists();
			return {
				node: 'SmsList',
				parameters: { operation: 'delete', list: listOf('={{ $json.id }}', 'id') },
				items: own.map(({ id }) => ({ id })),
				parts: ['it'],
				find: byText(own.map(({ id }) => id)),
				repeatsFreely: true,
				refill: (item) => void service.lists.set(own[item].id, own[item]),
			};
		}
		case 'list empty': {
			const own = lists();
			own.forEach(({ id }, item) => fill(id, item));
			return {
				node: 'SmsList',
				parameters: { operation: 'empty', list: listOf('={{ $json.id }}', 'id') },
				items: own.map(({ id }) => ({ id })),
				parts: ['it'],
				find: byText(own.map(({ id }) => id)),
				refill: (item) => fill(own[item].id, item),
			};
		}
		case 'contact add': {
			const { id } = service.createList('Clients');
			return {
				...it,
				node: 'SmsContact',
				parameters: { operation: 'add', list: listOf(id, 'id'), number: '={{ $json.to }}' },
			};
		}
		case 'contact delete': {
			const list = service.createList('Clients');
			indexes.forEach((item) => fill(list.id, item));
			return {
				...it,
				node: 'SmsContact',
				parameters: {
					operation: 'delete',
					list: listOf(list.id, 'id'),
					number: '={{ $json.to }}',
				},
				repeatsFreely: true,
				refill(item) {
					const has = list.contacts
						.items()
						.some(({ identifier }) => identifier === number(item));
					if (!has) fill(list.id, item);
				},
			};
		}
		case 'campaign create': {
			const { id } = service.createList('Clients');
			const names = indexes.map((item) => `Campaign ${item}`);
			return {
				node: 'SmsCampaign',
				parameters: {
					operation: 'create',
					name: '={{ $json.name }}',
					message: 'Bonjour',
					list: listOf(id, 'id'),
				},
				items: names.map((name) => ({ name })),
				parts: ['it'],
				find: byText(names),
			};
		}
		case 'campaign send': {
			const campaigns = lists().map(({ id: listId }, item) => {
				fill(listId, item);
				const id = service.createId();
				service.campaigns.set(id, {
					id,
					kind: 'marketing',
					name: `Campaign ${item}`,
					message: 'Bonjour',
					listId,
					state: 'CREATED',
					creditsUsed: 0,
				} as never);
				return id;
			});
			return {
				node: 'SmsCampaign',
				parameters: {
					operation: 'send',
					campaign: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
				},
				items: campaigns.map((id) => ({ id })),
				parts: ['it'],
				find: byText(campaigns),
			};
		}
	}
}

interface Deed {
	item: number;
	part: string;
	/** The node can't but know. */
	known: boolean;
	/** In which try it was carried out. */
	try: number;
}

/** @throws Violation */
export async function playDeeds(world: World, given: Deeds): Promise<void> {
	world.reset();
	world.sim.service.settings.duplicates = 'accept';
	const work = prepare(world, given.operation, given.items);
	world.tagOf = (request) => {
		const found = request.method === 'GET' ? undefined : work.find(request);
		return found && String(found.item);
	};
	const done: Deed[] = [];
	let set = given.settings;
	let result: RunResult | undefined;
	const optionsOf = (): RunOptions => ({
		node: work.node,
		workflowId: world.workflowId,
		parameters: {
			...work.parameters,
			...placed(
				work.node,
				String(work.parameters.operation),
				offered(work.node, String(work.parameters.operation), {
					concurrency: set.concurrency,
					...(work.repeatsFreely ? {} : { resendUnknown: set.repeat }),
				}),
			),
		},
		items: work.items,
		credential: world.credential,
		settings: { onError: set.onError, ...retrying(set.tries) },
	});
	const doubtful = new Set<number>();
	let tries = 0;

	const perform = async (attempt: Try): Promise<void> => {
		tries++;
		if (attempt.refilled && result) work.items.forEach((_, item) => work.refill?.(item));
		for (const item of work.items.keys()) {
			world.plan.set(String(item), [...(attempt.answers[item] ?? [])]);
		}
		const { stopAt, plainErrors, corrections } = attempt;
		const stop = stopAt === null ? null : { at: 'request' as const, count: stopAt };
		const before = optionsOf();
		if (corrections) set = { ...set, ...corrections };
		const ending = await world.execute({ ...NO_TROUBLE, stop, plainErrors }, async (more) =>
			result
				? await retryExecution(
						result,
						{ ...before, ...more },
						corrections ? optionsOf() : undefined,
					)
				: await runNode({ ...optionsOf(), ...more }),
		);
		result = ending.result!;
		checkArrivals(ending.arrivals, Math.max(set.concurrency, 10));
		for (const arrival of ending.arrivals) {
			const { item, part } = work.find(arrival.request)!;
			if (ending.interrupted || isDoubtful(arrival)) doubtful.add(item);
			if (!arrival.changed) continue;
			const earlier = done.filter((one) => one.item === item && one.part === part);
			const known = isReceipt(arrival) && !ending.interrupted;
			const isKnown = earlier.some((one) => one.known);
			forbid(isKnown, `item ${item} (${part}) was carried out again, though it was known`);
			// What deletes may be repeated at once, but not by a later try, when somebody has put it back.
			const counted = work.refill ? earlier.filter((one) => one.try !== tries) : earlier;
			const operation = String(work.parameters.operation);
			const mayRepeat =
				set.repeat &&
				'resendUnknown' in offered(work.node, operation, { resendUnknown: true });
			const isOnce = !work.repeatsFreely && !mayRepeat;
			forbid(counted.length > 0 && isOnce, `item ${item} (${part}) was carried out twice`);
			done.push({ item, part, known, try: tries });
		}
		check();
	};

	const isDone = (item: number) =>
		work.parts.every((part) => done.some((one) => one.item === item && one.part === part));

	const check = (): void => {
		const { data, error, items, errorItems, runs } = result!;
		checkKey(JSON.stringify(data), error?.message, error?.description, error?.stack);
		if (runs.at(-1)?.failed) return;
		for (const { json, pairedItem } of [...items, ...errorItems]) {
			const { item } = pairedItem as { item: number };
			const status =
				typeof json.status === 'string' && json.status !== 'sent' ? json.status : 'done';
			const said = `item ${item} is reported ${status} (${JSON.stringify(json)})`;
			if (status === 'done') forbid(!isDone(item), `${said}, but it was not carried out`);
			else if (status === 'unknown') {
				forbid(!doubtful.has(item), `${said}, without any doubt about it`);
			} else if (status === 'refused' || status === 'notSent') {
				forbid(isDone(item), `${said}, but it was carried out`);
			} else throw new Violation(said);
		}
	};

	for (const attempt of given.tries) {
		if (result && !retryable(result)) break;
		await perform(attempt);
	}
	// In the end all is well, and everything can be finished.
	if (!retryable(result!)) return;
	const last: Try = {
		answers: [],
		stopAt: null,
		plainErrors: false,
		refilled: false,
		corrections: {},
	};
	await perform({ ...last, corrections: { repeat: true, onError: 'stopWorkflow' } });
	const operation = String(work.parameters.operation);
	const mayRepeat = 'resendUnknown' in offered(work.node, operation, { resendUnknown: true });
	if (!work.repeatsFreely && !mayRepeat && doubtful.size > 0) return;
	const { run, error } = result!;
	forbid(run.status !== 'success', `All is well, but a retry fails: ${error?.message}`);
	const open = [...work.items.keys()].filter((item) => !isDone(item));
	forbid(open.length > 0, `item ${open.join()} is never carried out`);
}
