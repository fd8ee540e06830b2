/**
 * Create or Update, whatever goes wrong in runs and their retries: who was in a list and is not any more is told,
 * what is said to be written is there, and once all is well, a retry of the execution brings back who is out, and
 * a new run writes the rest. Random histories over two lists.
 */
import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { HISTORIES, SEED } from '../../harness/random.mts';
import type { RecordedRequest } from '../../simulator/index.mts';
import { ANSWERS, type Answer, type AnswerName } from '../delivery/answers.mts';
import { retryable } from '../delivery/support.mts';
import { hurry, listOf } from './support.mts';
import { retryExecution, runNode, wires, type RunOptions, type RunResult } from '../harness.mts';

const PEOPLE = 4;
const place = { person: fc.integer({ min: 0, max: PEOPLE - 1 }), list: fc.constantFrom(0, 1) };
interface Someone {
	person: number;
	list: number;
}
const keyOf = ({ person, list }: Someone) => `${list} ${person}`;
const unique = { maxLength: 2 * PEOPLE, selector: keyOf };

const run = fc.record({
	answers: fc.array(
		fc.oneof(
			{ weight: 3, arbitrary: fc.constant('ok' as const) },
			{ weight: 2, arbitrary: fc.constantFrom(...(Object.keys(ANSWERS) as AnswerName[])) },
		),
		{ maxLength: 16 },
	),
	/** All further additions are answered so; with `reads`, the list can't be read either. */
	lasting: fc.option(
		fc.record({
			answer: fc.constantFrom(...(Object.keys(ANSWERS) as AnswerName[])),
			reads: fc.boolean(),
		}),
		{ freq: 2 },
	),
	end: fc.option(
		fc.record({
			how: fc.constantFrom('stop' as const, 'kill' as const),
			at: fc.integer({ min: 1, max: 12 }),
		}),
		{ freq: 2 },
	),
	onError: fc.constantFrom('stopWorkflow', 'stopWorkflow', 'continueRegularOutput'),
	concurrency: fc.integer({ min: 1, max: 4 }),
	resendUnknown: fc.boolean(),
});
type Run = typeof run extends fc.Arbitrary<infer T> ? T : never;
const history = fc.record({
	duplicates: fc.constantFrom('refuse' as const, 'accept' as const),
	numbers: fc.constantFrom('number' as const, 'text' as const),
	errors: fc.constantFrom('codes' as const, 'statuses' as const),
	deletion: fc.constantFrom('noContent' as const, 'object' as const),
	before: fc.uniqueArray(fc.record({ ...place, isNational: fc.boolean() }), unique),
	items: fc.uniqueArray(fc.record({ ...place, isNational: fc.boolean() }), {
		...unique,
		minLength: 1,
	}),
	runs: fc.array(run, { minLength: 1, maxLength: 3 }),
});
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

hurry();
const sim = await useSimulator();
const tally = { runs: 0, faults: 0, kills: 0, stops: 0, retries: 0, out: 0, back: 0 };

const numberOf = ({ person }: Pick<Someone, 'person'>) => `+3363998000${person}`;
const writtenOf = (one: Someone & { isNational: boolean }) =>
	one.isNational ? numberOf(one).replace('+33', '0') : numberOf(one);
const idOf = ({ list }: Someone) => [...sim.service.lists.keys()][list];
/** What a list holds of somebody. */
const held = (one: Someone) =>
	sim.service
		.list(idOf(one))
		.contacts.items()
		.filter(({ identifier }) => identifier.replace(/^0/, '+33') === numberOf(one));

function forbid(isSo: boolean, what: string): void {
	if (isSo) throw new Error(what);
}

function optionsOf({ items }: History, given: Run): RunOptions {
	return {
		node: 'SmsContact',
		parameters: {
			operation: 'upsert',
			list: listOf('={{ $json.list }}', 'id'),
			number: '={{ $json.to }}',
			attributes: {
				mappingMode: 'defineBelow',
				value: { nom: '={{ $json.name }}' },
				schema: [],
			},
			options: {
				concurrency: given.concurrency,
				resendUnknown: given.resendUnknown,
			},
		} as unknown as INodeParameters,
		items: items.map((one): IDataObject => {
			return { to: writtenOf(one), list: idOf(one), name: `New ${one.person}` };
		}),
		credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
		settings: { onError: given.onError as never },
	};
}

let answers: AnswerName[] = [];
let lasting: Run['lasting'] = null;
let onRequest = () => {};
const answered = new Map<RecordedRequest, AnswerName>();
function answerTo(request: RecordedRequest): AnswerName {
	const known = answered.get(request);
	if (known !== undefined) return known;
	const { method, path } = request;
	const isLasting =
		method === 'POST' ||
		(lasting?.reads === true && /^GET .*contacts$/.test(`${method} ${path}`));
	const planned = answers.shift() ?? (isLasting ? lasting?.answer : undefined) ?? 'ok';
	if (planned !== 'ok' && planned !== 'slow') tally.faults++;
	answered.set(request, planned);
	onRequest();
	return planned;
}

async function quiet(turns: number): Promise<void> {
	let [still, seen] = [0, -1];
	while (still < turns) {
		await new Promise((resolve) => setTimeout(resolve, 1));
		still = sim.inFlight === 0 && seen === sim.requestCount ? still + 1 : 0;
		seen = sim.requestCount;
	}
}

/** One run; undefined where n8n was killed. */
async function play(
	whole: History,
	given: Run,
	start: (more: Partial<RunOptions>) => Promise<RunResult>,
): Promise<RunResult | undefined> {
	tally.runs++;
	const there = whole.items.filter((one) => held(one).length > 0);
	answers = [...given.answers];
	lasting = given.lasting;
	let requests = 0;
	let isDead = false;
	let [cancel, die] = [() => {}, () => {}];
	const death = new Promise<undefined>((resolve) => (die = () => resolve(undefined)));
	wires.set(sim.baseUrl, async (_, make) => {
		if (isDead) await new Promise(() => {});
		const answer = await make();
		if (isDead) await new Promise(() => {});
		return answer;
	});
	onRequest = () => {
		if (++requests !== given.end?.at) return;
		if (given.end.how === 'stop') {
			tally.stops++;
			cancel();
		} else {
			tally.kills++;
			isDead = true;
			die();
		}
	};
	const running = start({ onStart: (stopIt) => (cancel = stopIt) });
	const result = await Promise.race([running, death]);
	if (isDead) cancel();
	await quiet(given.end === null ? 2 : 40);
	[answers, lasting, onRequest] = [[], null, () => {}];
	wires.delete(sim.baseUrl);
	if (result === undefined) return undefined;
	const isStopped = given.end !== null && requests >= given.end.at;
	for (const one of there) {
		if (held(one).length > 0 || isStopped) continue;
		tally.out++;
		forbid(!isTold(one, result), `${keyOf(one)} is out, and nobody is told`);
	}
	for (const { json } of result.items) {
		if (typeof json.action !== 'string') continue;
		const one = whole.items.find(
			(item) => numberOf(item) === json.number && idOf(item) === json.listId,
		)!;
		const isThere = held(one).some(({ attributes }) => attributes.nom === `New ${one.person}`);
		forbid(!isThere, `${keyOf(one)} is not written`);
	}
	return result;
}

function isTold(one: Someone, { error, items, errorItems }: RunResult): boolean {
	const data = (error?.context.data ?? {}) as Record<string, IDataObject[] | undefined>;
	const told = [data, ...(data.failed ?? []), ...(data.unknown ?? [])] as IDataObject[];
	for (const { json } of [...items, ...errorItems]) told.push(json);
	return told.some(
		({ number, listId, attributes }) =>
			number === numberOf(one) && listId === idOf(one) && attributes !== undefined,
	);
}

async function playHistory(whole: History): Promise<void> {
	const { before, items, runs, ...dialect } = whole;
	sim.reset();
	answered.clear();
	Object.assign(sim.service.settings, { ...dialect });
	for (const name of ['One', 'Two']) sim.service.createList(name, [{ name: 'Nom' }]);
	for (const [name, { do: action }] of Object.entries<Answer>(ANSWERS)) {
		if (action === undefined) continue;
		const match = (request: RecordedRequest) => answerTo(request) === name;
		sim.faults.add({ times: Infinity, match, do: action });
	}
	const others = before.filter((one) => !items.some((item) => keyOf(item) === keyOf(one)));
	for (const one of before) {
		const identifier = dialect.numbers === 'text' ? writtenOf(one) : numberOf(one);
		const { contacts } = sim.service.list(idOf(one));
		contacts.add({
			...{ id: sim.service.createId(), identifier },
			attributes: { nom: `Old ${one.person}` },
		});
	}
	const stay = before.filter((one) => !others.includes(one));

	let result: RunResult | undefined;
	let wasKilled = false;
	let last = runs[0];
	for (const given of runs) {
		const failed = result !== undefined && retryable(result) ? result : undefined;
		const options = optionsOf(whole, given);
		result = await play(whole, given, async (more) =>
			failed === undefined
				? await runNode({ ...options, ...more })
				: await retryExecution(failed, optionsOf(whole, last), { ...options, ...more }),
		);
		if (failed !== undefined) tally.retries++;
		// What only a killed run knew is gone.
		wasKilled ||= result === undefined;
		last = given;
	}
	const calm: Run = { ...last, answers: [], lasting: null, end: null, onError: 'stopWorkflow' };
	if (result !== undefined && retryable(result)) {
		const failed = result;
		const out = stay.filter((one) => held(one).length === 0);
		const options = optionsOf(whole, calm);
		await play(
			whole,
			calm,
			async (more) =>
				await retryExecution(failed, optionsOf(whole, last), { ...options, ...more }),
		);
		for (const one of out) {
			tally.back++;
			forbid(held(one).length === 0 && !wasKilled, `A retry leaves ${keyOf(one)} out`);
		}
	}
	const finished = await play(
		whole,
		calm,
		async (more) => await runNode({ ...optionsOf(whole, calm), ...more }),
	);
	forbid(finished?.run.status !== 'success', `It fails: ${finished?.error?.message}`);
	for (const one of items) {
		const now = held(one);
		forbid(now.length === 0, `${keyOf(one)} is out in the end`);
		if (dialect.duplicates === 'refuse') {
			forbid(now.length !== 1, `${keyOf(one)} is there ${now.length} times`);
		}
	}
	for (const one of others) {
		const [{ attributes }] = held(one);
		forbid(attributes.nom !== `Old ${one.person}`, `${keyOf(one)} has changed`);
	}
}

const COUNT = Math.ceil(HISTORIES * 0.2);

test(`${COUNT.toLocaleString('en')} histories of contacts that are created or updated`, async () => {
	console.log(`seed ${SEED}`);
	await fc.assert(fc.asyncProperty(history, playHistory), { numRuns: COUNT });
	console.log(JSON.stringify(tally));
	expect(tally.faults).toBeGreaterThan(COUNT);
	expect(tally.kills).toBeGreaterThan(COUNT / 20);
	expect(tally.stops).toBeGreaterThan(COUNT / 20);
	expect(tally.retries).toBeGreaterThan(COUNT / 10);
	expect(tally.out + tally.back).toBeGreaterThan(COUNT / 20);
}, 3_600_000);
