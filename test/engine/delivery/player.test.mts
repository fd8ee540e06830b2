/**
 * A person who does what the texts say, to the letter, and nothing else: whatever went wrong, nobody gets a message
 * twice, and nobody is left out while the texts say that all is done (design, guarantees 3 to 6, 10 and 12). Judged by
 * what the phones got.
 */
import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';
import type { FaultAction, RecordedRequest } from '../../simulator/index.mts';
import {
	deduplicationStore,
	retryExecution,
	runNode,
	type RunOptions,
	type RunResult,
} from '../harness.mts';
import { ANSWERS, type AnswerName } from './answers.mts';
import { people, SEND, sim, sms } from './sending.mts';
import { retryable, spread } from './support.mts';

const HISTORIES = Number(process.env.HISTORIES ?? 200);
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
/** Steps after which a person would give up. */
const MOST_STEPS = 12;
const FAULTS: AnswerName[] = [
	'reset, accepted',
	'reset, not accepted',
	'502 page, not accepted',
	'500 code 1000, accepted',
	'200 page, accepted',
	'503 Retry-After 0',
	'401 code 72',
	'402 code 71',
];

/** Numbers of one history, from its seed. */
class Dice {
	private thrown = 0;
	constructor(private readonly seed: number) {}
	/** @returns 0 to most - 1 */
	to(most: number): number {
		return spread(this.seed, this.thrown++) % most;
	}
	one<T>(values: readonly T[]): T {
		return values[this.to(values.length)];
	}
	chance(percent: number): boolean {
		return this.to(100) < percent;
	}
}

/** What a person was told to do next; `done` where nothing is left to do. */
type Way = 'retry' | 'sendAgain' | 'runAgain' | 'rows' | 'ask' | 'correct' | 'done';

function wayOf(result: RunResult, open: readonly IDataObject[]): Way {
	const { error, hints = [] } = result;
	const advice = open.map((row) => String(row.advice ?? '')).join(' ');
	const text = [
		error?.message,
		error?.description,
		...hints.map(({ message }) => message),
		advice,
	]
		.filter(Boolean)
		.join('\n');
	if (/Retry this execution/.test(text)) return 'retry';
	if (/turn 'Send Again if Unknown' on/.test(text)) return 'sendAgain';
	if (/Run the workflow again/.test(text)) return 'runAgain';
	if (/this item only|Look it up with 'Get Message Status'/.test(text)) return 'rows';
	if (/Ask the recipient, or retry later/.test(text)) return 'ask';
	if (/stays refused: correct it/.test(text)) return 'correct';
	// An error without more words: whoever reads it corrects the cause, and runs it again.
	return error === undefined ? 'done' : 'runAgain';
}

/** Proof that the histories hold anything: how often each way was told. */
const tally = new Map<Way, number>();

/** One history. @returns what was broken, empty where nothing was */
async function play(seed: number): Promise<string> {
	const dice = new Dice(seed);
	sim.reset();
	deduplicationStore.clear();
	const operation = dice.one(['send', 'sendBatch', 'sendByUrl']);
	const items = people(3 + dice.to(6)).map(({ to }, index) => ({
		to: String(to),
		text: `T${index}`,
	}));
	// Two messages to one phone.
	if (dice.chance(30)) items[1].to = items[0].to;
	const stopped = dice.chance(30) ? String(items.at(-1)!.to) : undefined;
	const isKeyed = operation !== 'sendByUrl' && dice.chance(40);
	const settings: IDataObject = {
		concurrency: dice.one([1, 3]),
		...(isKeyed ? { onceKey: '={{ $json.text }}' } : {}),
		...(operation === 'sendBatch' && dice.chance(60) ? { failIfIncomplete: true } : {}),
		...(dice.chance(30) ? { resendUnknown: true } : {}),
		...(operation !== 'sendByUrl' && dice.chance(20) ? { maxCredits: 1 + dice.to(5) } : {}),
	};
	const retriesOnFail = dice.chance(30)
		? { settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 } }
		: {};
	const isLoop = operation !== 'sendByUrl' && dice.chance(20);
	const [firstRun, ...further] = isLoop ? [items.slice(0, 2), items.slice(2)] : [items];
	let faulty = dice.one([0, 15, 30]);
	/** An account that is refused is refused for a while. */
	const decided = new WeakMap<RecordedRequest, AnswerName | 'stop' | undefined>();
	const decide = (request: RecordedRequest) => {
		if (!decided.has(request)) {
			const isStopped =
				stopped !== undefined &&
				`${request.target} ${request.bodyText}`.includes(stopped.slice(1));
			const fault = dice.chance(faulty) ? dice.one(FAULTS) : undefined;
			decided.set(request, isStopped ? 'stop' : fault);
		}
		return decided.get(request);
	};
	for (const name of FAULTS) {
		const { do: action } = ANSWERS[name] as { do: FaultAction };
		sim.faults.add({
			path: SEND,
			times: Infinity,
			match: (one) => decide(one) === name,
			do: action,
		});
	}
	const { do: refuse } = ANSWERS['400 code 12'];
	sim.faults.add({
		path: SEND,
		times: Infinity,
		match: (one) => decide(one) === 'stop',
		do: refuse,
	});

	const told: string[] = [];
	const optionsOf = (given: IDataObject[], more: IDataObject = {}): RunOptions =>
		sms(operation, given, { ...settings, ...more }, retriesOnFail);
	let options: RunOptions = { ...optionsOf(firstRun), furtherRuns: further };
	let result = await runNode(options);
	let way: Way = 'done';
	const spent = () => sim.messages.reduce((sum, { creditsUsed }) => sum + creditsUsed, 0);
	let before = 0;
	for (let step = 1; step <= MOST_STEPS; step++) {
		// A batch in a loop reports the rows of its earlier runs, also where a later one fails.
		const rows = result.runs.flatMap((run) =>
			run.failed ? [] : run.items.map(({ json }) => json),
		);
		const open = rows.filter(
			({ status }) => !['sent', 'skipped', 'scheduled'].includes(String(status)),
		);
		way = wayOf(result, open);
		tally.set(way, (tally.get(way) ?? 0) + 1);
		told.push(`${way} <- ${result.error?.message ?? rows.map(({ status }) => status).join()}`);
		if (way === 'done' || way === 'correct') break;
		if (step === MOST_STEPS / 2) faulty = 0;
		const { maxCredits } = settings;
		if (maxCredits !== undefined && spent() - before > Number(maxCredits))
			return `${spent() - before} credits of ${String(maxCredits)}\n${told.join('\n')}`;
		if (/Raise 'Max Credits'/.test(`${result.error?.description} ${JSON.stringify(open)}`)) {
			delete settings.maxCredits;
			options = { ...options, parameters: optionsOf(firstRun).parameters };
		}
		if (way === 'ask') {
			if (step > MOST_STEPS - 3) break;
			result = await retryExecution(result, options);
		} else if (way === 'retry' || way === 'sendAgain') {
			if (!retryable(result))
				return `advised a retry that n8n doesn't offer\n${told.join('\n')}`;
			if (way === 'sendAgain')
				options = {
					...options,
					parameters: optionsOf(firstRun, { resendUnknown: true }).parameters,
				};
			result = await retryExecution(result, options, { parameters: options.parameters });
		} else if (way === 'runAgain') {
			before = spent();
			result = await runNode(options);
		} else {
			const missing = open.filter(({ status, number, message }) =>
				status !== 'unknown'
					? number !== stopped
					: !sim.messages.some((one) => one.number === number && one.text === message),
			);
			if (missing.length === 0) break;
			const again = items.filter(({ to, text }) =>
				missing.some(({ number, message }) => number === to && message === text),
			);
			options = optionsOf(again);
			before = spent();
			result = await runNode(options);
		}
	}
	const broken = items.flatMap(({ to, text }) => {
		const got = sim.messages.filter((one) => one.number === to && one.text === text).length;
		const isMissing = got === 0 && to !== stopped && ['done', 'correct'].includes(way);
		return got > 1 || isMissing ? [`${to} got ${got} of ${text}`] : [];
	});
	return broken.length === 0
		? ''
		: `${operation} ${JSON.stringify(settings)}\n${broken.join(', ')}\n${told.join('\n')}`;
}

test(`${HISTORIES} histories in which the texts are followed`, async () => {
	const broken: string[] = [];
	for (let index = 0; index < HISTORIES; index++) {
		const said = await play(spread(SEED, index));
		if (said !== '') broken.push(`seed ${SEED}, history ${index}: ${said}`);
	}
	console.log(`seed ${SEED}:`, Object.fromEntries(tally));
	expect(broken.slice(0, 5).join('\n\n')).toBe('');
	for (const way of ['retry', 'sendAgain', 'runAgain', 'rows', 'ask', 'correct'] as const)
		expect(tally.get(way), way).toBeGreaterThan(0);
}, 14_400_000);
