/**
 * Create or Update, and Sync, whatever goes wrong in runs and their retries: faults, stops, kills. Nobody is twice in
 * a list, nobody is lost without the result saying so, the next run finishes, and the one after it changes nothing.
 * Random histories, judged by what the list has.
 */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { HISTORIES, playHistories } from '../../harness/histories.mts';
import { Dice, SEED } from '../../harness/random.mts';
import type { RecordedRequest } from '../../simulator/index.mts';
import type { Contact } from '../../simulator/lists.mts';
import { ANSWERS, type Answer, type AnswerName } from '../delivery/answers.mts';
import { retryable } from '../delivery/support.mts';
import { retryExecution, runNode, wires, type RunOptions, type RunResult } from '../harness.mts';
import { useContacts } from './contacts.mts';

const { sim, list, changes, runOf } = await useContacts('sync', {
	nom: '={{ $json.name }}',
	points: '={{ $json.points }}',
	ville: '',
});

const PEOPLE = 6;
const numberOf = (person: number) => `+3363998${1000 + person}`;
const SPELLINGS = [
	(person: number) => numberOf(person),
	(person: number) => numberOf(person).replace('+33', '0'),
	(person: number) => numberOf(person).replace('+33', '0').replace(/(..)/g, '$1 '),
];
/** The same values, in the forms in which items give them and in that of the column. */
const NAMES = { ada: ['Ada', ' Ada'], bob: ['Bob', 'Bob '], none: ['', null] } as const;
const POINTS = { five: [5, '5', '5,0'], ten: ['10', 10], none: [null, ''] } as const;
const STORED: Record<string, string | undefined> = { ada: 'Ada', bob: 'Bob', five: '5', ten: '10' };

const values = {
	name: fc.constantFrom(...(Object.keys(NAMES) as Array<keyof typeof NAMES>)),
	points: fc.constantFrom(...(Object.keys(POINTS) as Array<keyof typeof POINTS>)),
	form: fc.integer({ min: 0, max: 2 }),
};
const someone = fc.record({ person: fc.integer({ min: 0, max: PEOPLE - 1 }), ...values });
type Someone = typeof someone extends fc.Arbitrary<infer T> ? T : never;

const anyAnswer = fc.constantFrom(...(Object.keys(ANSWERS) as AnswerName[]));
/** A run, and what goes wrong in it. */
const run = fc.record({
	/** The items are those of the run before: a retry, where n8n offers one. */
	isRetry: fc.boolean(),
	items: fc.array(someone, { minLength: 1, maxLength: PEOPLE + 2 }),
	/** One item has no number. */
	hasBad: fc.integer({ max: 7, min: 0 }).map((one) => one === 7),
	planOnly: fc.integer({ max: 7, min: 0 }).map((one) => one === 7),
	removeMissing: fc.constantFrom(true, true, false),
	maxRemovals: fc.constantFrom(10, 20, 50, 100),
	onError: fc.constantFrom('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
	concurrency: fc.integer({ min: 1, max: 4 }),
	tries: fc.integer({ min: 1, max: 2 }),
	/** Answers to its requests, in order of arrival. */
	answers: fc.array(
		fc.oneof(
			{ weight: 3, arbitrary: fc.constant('ok' as const) },
			{ weight: 2, arbitrary: anyAnswer },
		),
		{ maxLength: 14 },
	),
	/** All further additions are answered so. */
	lasting: fc.option(anyAnswer, { freq: 5 }),
	/** The user stops it, or n8n is killed, at this request. */
	end: fc.option(
		fc.record({
			how: fc.constantFrom('stop' as const, 'kill' as const),
			at: fc.integer({ min: 2, max: 12 }),
		}),
		{ freq: 2 },
	),
});
type Run = typeof run extends fc.Arbitrary<infer T> ? T : never;
const history = fc.record({
	operation: fc.constantFrom('sync' as const, 'upsert' as const),
	duplicates: fc.constantFrom('refuse' as const, 'accept' as const),
	numbers: fc.constantFrom('number' as const, 'text' as const),
	ids: fc.constantFrom('text' as const, 'number' as const),
	deletion: fc.constantFrom('noContent' as const, 'nothing' as const, 'object' as const),
	errors: fc.constantFrom('codes' as const, 'statuses' as const, 'html' as const),
	/** The list at first: a number can be there twice where the service takes it twice. */
	before: fc.array(someone, { maxLength: 8 }),
	runs: fc.array(run, { minLength: 1, maxLength: 3 }),
});
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

const tally = {
	...{ runs: 0, plans: 0, faults: 0, stops: 0, kills: 0, retries: 0, changes: 0, refused: 0 },
	...{ out: 0, back: 0, twice: 0 },
};

const canonical = (written: string) => written.replace(/\s/g, '').replace(/^0/, '+33');
function byNumber(): Map<string, Contact[]> {
	const found = new Map<string, Contact[]>();
	for (const contact of list().contacts.items()) {
		const number = canonical(contact.identifier);
		found.set(number, [...(found.get(number) ?? []), structuredClone(contact)]);
	}
	return found;
}

function forbid(isSo: boolean, what: string): void {
	if (isSo) throw new Error(what);
}

/** The items of a run. Sync takes a number twice only with equal values. */
function itemsOf({ operation }: Pick<History, 'operation'>, { items }: Run): Someone[] {
	if (operation === 'upsert') return items;
	return items.map((one) => {
		const first = items.find(({ person }) => person === one.person)!;
		return { ...first, form: one.form };
	});
}

function optionsOf(whole: Pick<History, 'operation'>, given: Run): RunOptions {
	const json: IDataObject[] = itemsOf(whole, given).map(({ person, name, points, form }) => ({
		to: SPELLINGS[form](person),
		name: NAMES[name][form % NAMES[name].length],
		points: POINTS[points][form % POINTS[points].length],
	}));
	if (given.hasBad) json.push({ to: '', name: 'x', points: 1 });
	const { operation } = whole;
	const { planOnly, removeMissing, maxRemovals, concurrency } = given;
	const ofSync = operation === 'sync' ? { planOnly, removeMissing, maxRemovals } : {};
	return runOf(
		json,
		{ operation, ...ofSync, options: { concurrency } },
		{
			settings: {
				onError: given.onError as never,
				retryOnFail: given.tries > 1,
				maxTries: given.tries,
				waitBetweenTries: 1,
			},
		},
	);
}

/** The faults of the current run. */
let trouble:
	| { planned: (request: RecordedRequest) => AnswerName; onRequest: () => void }
	| undefined;
const answered = new Map<RecordedRequest, AnswerName>();
function answerTo(request: RecordedRequest): AnswerName {
	const known = answered.get(request);
	if (known !== undefined) return known;
	const planned = trouble?.planned(request) ?? 'ok';
	if (planned !== 'ok' && planned !== 'slow') tally.faults++;
	answered.set(request, planned);
	trouble?.onRequest();
	return planned;
}

function begin(dialect: object): void {
	sim.faults.clear();
	sim.requests.length = 0;
	answered.clear();
	list().contacts.replace([]);
	Object.assign(sim.service.settings, dialect);
	for (const [name, { do: action }] of Object.entries<Answer>(ANSWERS)) {
		if (action === undefined) continue;
		const match = (request: RecordedRequest) => answerTo(request) === name;
		sim.faults.add({ times: Infinity, match, do: action });
	}
}

function put({ person, name, points, form }: Someone): void {
	const { duplicates, numbers } = sim.service.settings;
	if (duplicates === 'refuse' && byNumber().has(numberOf(person))) return;
	const [plain, national] = SPELLINGS;
	const written = numbers === 'text' && form > 0 ? national(person) : plain(person);
	const entries = Object.entries({ nom: STORED[name], points: STORED[points] });
	const attributes = Object.fromEntries(
		[...entries, ['ville', form === 1 ? undefined : `Ville ${person}`]].filter(
			([, value]) => value !== undefined,
		),
	) as Record<string, string>;
	list().contacts.add({ id: sim.service.createId(), identifier: written, attributes });
}

/** @param onWire how many requests have left, and are not answered: on a busy machine, they arrive late */
async function quiet(turns: number, onWire: () => number): Promise<void> {
	let [still, seen] = [0, -1];
	while (still < turns) {
		await new Promise((resolve) => setTimeout(resolve, 1));
		const isStill = onWire() === 0 && sim.inFlight === 0 && seen === sim.requestCount;
		still = isStill ? still + 1 : 0;
		seen = sim.requestCount;
	}
}

/** One run in which all of this goes wrong. */
async function play(given: Run, start: (more: Partial<RunOptions>) => Promise<RunResult>) {
	tally.runs++;
	const answers = [...given.answers];
	let [requests, mostAtOnce, onWire] = [0, 0, 0];
	let [isDead, isStopped] = [false, false];
	let [cancel, die] = [() => {}, () => {}];
	const death = new Promise<undefined>((resolve) => (die = () => resolve(undefined)));
	wires.set(sim.baseUrl, async (_, make) => {
		if (isDead) await new Promise(() => {});
		onWire++;
		const answer = await make().finally(() => onWire--);
		if (isDead) await new Promise(() => {});
		return answer;
	});
	const first = sim.requests.length;
	trouble = {
		planned: ({ method }) =>
			answers.shift() ?? (method === 'POST' ? given.lasting : undefined) ?? 'ok',
		onRequest() {
			mostAtOnce = Math.max(mostAtOnce, sim.inFlight);
			if (++requests !== given.end?.at) return;
			if (given.end.how === 'stop') {
				tally.stops++;
				isStopped = true;
				cancel();
			} else {
				tally.kills++;
				isDead = true;
				die();
			}
		},
	};
	const running = start({ onStart: (stopIt) => (cancel = stopIt) });
	const result = await Promise.race([running, death]);
	if (isDead) cancel();
	await quiet(isStopped ? 40 : 3, () => onWire);
	trouble = undefined;
	wires.delete(sim.baseUrl);
	forbid(mostAtOnce > given.concurrency, `${mostAtOnce} requests at once`);
	const made = sim.requests.slice(first);
	return { result, made, isDead, isStopped };
}

type Played = Awaited<ReturnType<typeof play>>;

/** Checks that hold after any run, however it went. */
function check(
	whole: Pick<History, 'operation'>,
	given: Run,
	before: Map<string, Contact[]>,
	{ result, made, isDead, isStopped }: Played,
): void {
	const after = byNumber();
	const wanted = new Map(itemsOf(whole, given).map((one) => [numberOf(one.person), one]));
	const changing = made.filter(({ method }) => method !== 'GET');
	tally.changes += changing.length;
	const isSync = whole.operation === 'sync';
	const isBad = given.hasBad && given.onError === 'stopWorkflow';
	if ((isSync && given.planOnly) || isBad) {
		tally.plans++;
		forbid(changing.length > 0, 'A dry run, or a run with a bad item, has changed the list');
	}
	const gone = [...before].filter(([number]) => !wanted.has(number)).flatMap(([, all]) => all);
	const size = [...before.values()].flat().length;
	const removes = isSync && given.removeMissing && !given.hasBad && !given.planOnly;
	const isTooMuch = removes && gone.length * 100 > given.maxRemovals * size;
	if (isTooMuch) {
		tally.refused++;
		forbid(changing.length > 0, 'Refused, and changed all the same');
	}
	for (const [number, now] of after) {
		const was = before.get(number)?.length ?? 0;
		forbid(now.length > Math.max(1, was), `${number} is there ${now.length} times`);
		forbid(was === 0 && !wanted.has(number), `${number} came from nowhere`);
	}
	for (const [number, same] of before) {
		const now = after.get(number) ?? [];
		if (!wanted.has(number)) {
			forbid(now.length < same.length && !removes, `${number} is gone`);
			for (const contact of now) {
				const was = same.find(({ id }) => id === contact.id);
				forbid(JSON.stringify(was) !== JSON.stringify(contact), `${number} has changed`);
			}
			continue;
		}
		if (now.length === 0 && !isDead && !isStopped) {
			tally.out++;
			// Of an execution that was tried twice, n8n shows nothing of what the first try said.
			const isHidden = given.tries > 1;
			const [one, ...others] = made.filter(
				({ bodyText }) => canonicalOf(bodyText) === number,
			);
			const isRefused = one?.status !== undefined && one.status >= 300;
			const isKnown = isRefused && ANSWERS[answered.get(one)!].evidence;
			forbid(isKnown && others.length === 0, `${number} is not put back`);
			forbid(!isHidden && !isTold(number, result!), `${number} is lost, and nobody is told`);
		}
		const ville = same.find(({ attributes }) => attributes.ville)?.attributes.ville;
		const hasIt = now.length === 0 || now.some(({ attributes }) => attributes.ville === ville);
		// Of several contacts of a number, some may be deleted when the others can't be.
		const isExcused = isDead || isStopped || given.tries > 1;
		forbid(
			!hasIt && !(isExcused && same.length > 1) && !(result && isTold(number, result)),
			`${number} has lost what no item gives`,
		);
	}
	if (result === undefined || isStopped) return;
	for (const { json } of [...result.items, ...result.errorItems]) {
		const number = json.number as string;
		const now = after.get(number) ?? [];
		if (json.action === 'removed') {
			forbid(
				now.some(({ id }) => id === json.id),
				`${number} is there, removed`,
			);
		} else if (json.action !== undefined) {
			const isLast = now.some(({ id }) => id === json.id);
			const isRight = now.some((contact) => isAsWanted(contact, wanted.get(number)!));
			// A further item about the same number may have failed.
			forbid(isLast && !isRight && isSync, `${number} is not ${String(json.action)}`);
			forbid(now.length === 0 && isSync, `${number} is out, ${String(json.action)}`);
		}
	}
}

function canonicalOf(bodyText: string): string | undefined {
	const { identifier } = JSON.parse(bodyText || '{}') as { identifier?: string };
	return identifier && canonical(identifier);
}

/** Looks for what a number that is out had, in the error and the results. */
function isTold(number: string, { error, items, errorItems }: RunResult): boolean {
	const data = (error?.context.data ?? {}) as Record<string, IDataObject[] | undefined>;
	const told = [data, ...(data.failed ?? []), ...(data.unknown ?? [])] as IDataObject[];
	for (const { json } of [...items, ...errorItems]) told.push(json);
	return told.some(
		({ number: its, action, attributes, previous }) =>
			its === number &&
			action === undefined &&
			attributes !== undefined &&
			previous !== undefined,
	);
}

function isAsWanted({ attributes }: Contact, { name, points }: Someone): boolean {
	const { nom, points: stored } = attributes;
	const right = STORED[points];
	// "5,0" is stored as it was written.
	const isSame = stored === right || Number(stored?.replace(',', '.')) === Number(right);
	return nom?.trim() === STORED[name] && isSame;
}

/** All is well now: a run finishes, and one more changes nothing. */
async function finish(whole: Pick<History, 'operation'>, last: Run): Promise<void> {
	const calm: Run = {
		...{ ...last, answers: [], lasting: null, end: null, tries: 1, hasBad: false },
		...{ planOnly: false, maxRemovals: 100 },
	};
	const wanted = new Map(itemsOf(whole, calm).map((one) => [numberOf(one.person), one]));
	const before = byNumber();
	const start = async (more: Partial<RunOptions>) =>
		await runNode({ ...optionsOf(whole, calm), ...more });
	const { result } = await play(calm, start);
	forbid(result?.run.status !== 'success', `It fails: ${result?.error?.message}`);
	const after = byNumber();
	for (const [number, one] of wanted) {
		const now = after.get(number) ?? [];
		forbid(now.length !== 1, `${number} is in the list ${now.length} times`);
		forbid(!isAsWanted(now[0], one), `${number} has ${JSON.stringify(now[0].attributes)}`);
	}
	const isCleared = whole.operation === 'sync' && calm.removeMissing;
	for (const [number, same] of before) {
		if (wanted.has(number)) continue;
		const stays = JSON.stringify(after.get(number)) === JSON.stringify(same);
		forbid(isCleared ? after.has(number) : !stays, `${number} is not as it should be`);
	}
	// Several values for one number take turns in each run.
	const people = itemsOf(whole, calm);
	if (
		whole.operation === 'upsert' &&
		new Set(people.map(({ person }) => person)).size < people.length
	) {
		tally.twice++;
		return;
	}
	const before3 = changes().length;
	const third = await play(calm, start);
	forbid(changes().length > before3, 'A third run changes something');
	forbid(third.made.length !== 2, `A third run makes ${third.made.length} requests`);
	const actions = third.result!.items.map(({ json }) => json.action);
	forbid(
		actions.some((action) => action !== 'unchanged'),
		`It says ${actions.join()}`,
	);
}

async function playHistory(whole: History): Promise<void> {
	const { before, runs, operation: _, ...dialect } = whole;
	begin(dialect);
	for (const one of before) put(one);
	let [last] = runs;
	let result: RunResult | undefined;
	let held = byNumber();
	for (const given of runs) {
		held = byNumber();
		const failed = given.isRetry && result && retryable(result) ? result : undefined;
		const same =
			failed === undefined ? given : { ...given, items: last.items, hasBad: last.hasBad };
		const options = optionsOf(whole, same);
		const played = await play(same, async (more) =>
			failed === undefined
				? await runNode({ ...options, ...more })
				: await retryExecution(failed, optionsOf(whole, last), { ...options, ...more }),
		);
		if (failed !== undefined) tally.retries++;
		check(whole, same, held, played);
		({ result } = played);
		last = same;
	}
	const failed = result && retryable(result) && !last.planOnly ? result : undefined;
	if (failed !== undefined && whole.operation === 'upsert' && !last.hasBad)
		await bringBack(whole, last, failed, held);
	await finish(whole, last);
}

/** A retry without trouble brings back with its values whom the failed run has left out. */
async function bringBack(
	whole: History,
	last: Run,
	failed: RunResult,
	held: Map<string, Contact[]>,
): Promise<void> {
	const calm: Run = { ...last, answers: [], lasting: null, end: null, tries: 1 };
	const numbers = itemsOf(whole, last).map(({ person }) => numberOf(person));
	const out = numbers.filter((number) => !byNumber().has(number));
	const options = optionsOf(whole, calm);
	const { result } = await play(
		calm,
		async (more) =>
			await retryExecution(failed, optionsOf(whole, last), { ...options, ...more }),
	);
	forbid(result?.error !== undefined, `A retry fails: ${result?.error?.message}`);
	for (const number of out) {
		tally.back++;
		const now = byNumber().get(number) ?? [];
		const had = held.get(number)?.map(({ attributes }) => attributes.ville);
		const isKept = had === undefined || had.includes(now[0]?.attributes.ville);
		forbid(now.length !== 1, `A retry leaves ${number} out`);
		forbid(!isKept, `A retry leaves out the values of ${number}`);
	}
}

const COUNT = Math.ceil(HISTORIES * 0.6);

describe('histories', () => {
	test(`${COUNT.toLocaleString('en')} of contacts that are created, updated and synced`, async () => {
		await playHistories({ count: COUNT, drawn: history, play: playHistory });
		console.log(JSON.stringify(tally));
		for (const name of ['plans', 'stops', 'kills', 'retries', 'refused', 'out'] as const)
			expect(tally[name], name).toBeGreaterThan(COUNT / 20);
		expect(tally.faults).toBeGreaterThan(COUNT);
		expect(tally.changes).toBeGreaterThan(COUNT);
	}, 3_600_000);

	test.each(['sync', 'upsert'] as const)(
		'of 500 contacts: %s',
		async (operation) => {
			const dice = new Dice(SEED);
			const anybody = (person: number): Someone => ({
				person,
				name: dice.one(['ada', 'bob', 'none'] as const),
				points: dice.one(['five', 'ten', 'none'] as const),
				form: dice.to(3),
			});
			begin({
				duplicates: dice.one(['refuse', 'accept']),
				numbers: dice.one(['number', 'text']),
			});
			for (let person = 0; person < 500; person++) put(anybody(person));
			const items = Array.from({ length: 500 }, (_, at) => anybody(at + 30));
			const rough: Run = {
				...{ isRetry: false, items, hasBad: false, planOnly: false, removeMissing: true },
				...{ maxRemovals: 10, onError: 'continueRegularOutput', concurrency: 4, tries: 1 },
				...{ lasting: null, end: null },
				answers: Array.from({ length: 1_500 }, (_, at) =>
					at > 1 && dice.chance(5)
						? dice.one(Object.keys(ANSWERS) as AnswerName[])
						: 'ok',
				),
			};
			const held = byNumber();
			const start = async (more: Partial<RunOptions>) =>
				await runNode({ ...optionsOf({ operation }, rough), ...more });
			check({ operation }, rough, held, await play(rough, start));
			await finish({ operation }, rough);
			expect(byNumber().size).toBe(operation === 'sync' ? 500 : 530);
		},
		600_000,
	);
});
