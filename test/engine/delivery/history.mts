/** Histories of executions: what they consist of, how they are drawn, and how they are read. */
import fc from 'fast-check';
import { ANSWERS, type AnswerName } from './answers.mts';

export type Operation = 'send' | 'sendByUrl' | 'sendBatch';

/** Recipients; the first two are one and the same. */
export const NUMBERS = ['06 39 98 00 01', '+33639980001', '+33639980002', 'nobody'];
/** Texts; the last one has a character that the service doesn't take. */
export const TEXTS = ['Bonjour', 'Bonsoir', 'L’été'];
/** What a correction makes of them, the last for `nobody`. */
export const NEW_NUMBER = '+33639980009';
export const NEW_TEXT = 'Corrected';
export const SOMEBODY = '+33639980008';
/** Where a test run sends its first message. */
export const TEST_NUMBER = '+33639980007';

/** One input item, and how the service answers its requests, one after the other; then as it should. */
export interface Item {
	to: number;
	text: number;
	key: number;
	answers: AnswerName[];
}

/** What a user sets in the node, and may correct before a retry. */
export interface Options {
	resendUnknown: boolean;
	/** sendBatch only. */
	onceKeys: boolean;
	/** sendBatch only. */
	skipBlacklisted: boolean;
	/** sendBatch only. */
	invalidItems: 'report' | 'stop';
	/** Whether the hours in which messages may leave come later; not for sendByUrl. */
	hours: 'any' | 'now' | 'later';
	skipDuplicates: boolean;
	/**
	 * A dry run (sendBatch only), or one from the editor with a credential that then sends nothing, or
	 * the first message to a test number.
	 */
	trial: 'none' | 'dry' | 'preview' | 'testNumber';
	/** Whether unknown messages are looked up; not for sendByUrl. */
	lookUp: boolean;
	/** sendBatch only. */
	balance: boolean;
	concurrency: number;
	sender: 'none' | 'Shop' | 'Store';
	category: 'none' | 'orders' | 'offers';
	date: 'none' | 'May' | 'June';
	unsupported: 'keep' | 'reject' | 'replace';
	onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	/** Tries of Retry On Fail; 1 is off. */
	tries: number;
	/** The item whose text was corrected: another message. */
	newTextOf?: number;
	/** The item whose number was corrected: another message. */
	newNumberOf?: number;
	/** Every number that is none was corrected. */
	noNobody?: boolean;
}

/** An execution as it is set, with the input of each run of the node. */
export interface Execution {
	id: number;
	operation: Operation;
	runs: Item[][];
	options: Options;
}

/** Tells the requests of an item from all others. */
export function tagOf(id: number, run: number | string, item: number | string): string {
	return `${id}r${run}i${item}`;
}

/** The once key of an item. */
export function keyOf(key: number): string {
	return `order ${key}`;
}

/** By the credential; a dry run is none. */
export function isTestRun({ trial }: Options): boolean {
	return trial === 'testNumber' || trial === 'preview';
}

/** What goes wrong beside the answers of the service. */
export interface Trouble {
	/** The execution is stopped when so many requests have arrived, or calls of the store. */
	stop: { at: 'request' | 'store'; count: number } | null;
	/** What is left on the account. */
	credits: number | null;
	/** The call of n8n's store that fails; with `kill`, n8n is killed while it waits for it. */
	store: { at: number; forever: boolean; stage: 'read' | 'written'; kill: boolean } | null;
	storeIsLate: boolean;
	/** The reading of the credential that fails. */
	secret: { at: number; forever: boolean } | null;
	/** Errors reach the node as plain Errors, as on n8n 1.123. */
	plainErrors: boolean;
}

export interface RunStep {
	kind: 'run';
	operation: Operation;
	items: Item[];
	/** A second run of the node in the same execution. */
	loop: Item[] | null;
	options: Options;
	trouble: Trouble;
}

export interface RetryStep {
	kind: 'retry';
	/** Which of the executions that can be retried: counted from the latest. */
	of: number;
	/** With the currently saved workflow, corrected in this; else with the stored one. */
	corrections: Partial<Options> | null;
	/** By item. */
	answers: AnswerName[][];
	trouble: Trouble;
}

/** Two executions at the same moment. */
export interface TogetherStep {
	kind: 'together';
	runs: [RunStep, RunStep];
}

/** An agent that uses the node as a tool. */
export interface ToolStep {
	kind: 'tool';
	operation: 'send' | 'sendByUrl';
	calls: Item[];
	tries: number;
	plainErrors: boolean;
}

/** A recipient says STOP. */
export interface StopStep {
	kind: 'STOP';
	from: number;
}

export type Step = RunStep | RetryStep | TogetherStep | ToolStep | StopStep;
export type History = Step[];

const NAMES = Object.keys(ANSWERS) as AnswerName[];
/** What is drawn shrinks to the first of the possibilities. */
const SIMPLEST_FIRST = { withCrossShrink: true };
const answer = fc.oneof(
	SIMPLEST_FIRST,
	{ weight: 2, arbitrary: fc.constant<AnswerName>('ok') },
	{ weight: 3, arbitrary: fc.constantFrom(...NAMES) },
);
const answers = fc.oneof(
	SIMPLEST_FIRST,
	{ weight: 3, arbitrary: fc.constant<AnswerName[]>([]) },
	{ weight: 3, arbitrary: fc.array(answer, { minLength: 1, maxLength: 3 }) },
);

const item: fc.Arbitrary<Item> = fc.record({
	to: fc.oneof(
		SIMPLEST_FIRST,
		{ weight: 12, arbitrary: fc.integer({ min: 0, max: 2 }) },
		{ weight: 1, arbitrary: fc.constant(3) },
	),
	text: fc.oneof(
		SIMPLEST_FIRST,
		{ weight: 8, arbitrary: fc.integer({ min: 0, max: 1 }) },
		{ weight: 1, arbitrary: fc.constant(2) },
	),
	key: fc.integer({ min: 0, max: 4 }),
	answers,
});
const items = fc.array(item, { minLength: 1, maxLength: 5 });

const often = (share: number) =>
	fc.oneof(
		SIMPLEST_FIRST,
		{ weight: share, arbitrary: fc.constant(false) },
		{ weight: 1, arbitrary: fc.constant(true) },
	);
/** Something once in `share + 1` times. */
const seldom = <T,>(arbitrary: fc.Arbitrary<T>, share: number): fc.Arbitrary<T | null> =>
	fc.oneof(
		SIMPLEST_FIRST,
		{ weight: share, arbitrary: fc.constant(null) },
		{ weight: 1, arbitrary: arbitrary as fc.Arbitrary<T | null> },
	);

const trouble: fc.Arbitrary<Trouble> = fc.record({
	stop: seldom(
		fc.record({
			at: fc.constantFrom('request' as const, 'store' as const),
			count: fc.integer({ min: 0, max: 4 }),
		}),
		6,
	),
	credits: seldom(fc.integer({ min: 0, max: 4 }), 6),
	store: seldom(
		fc.record({
			at: fc.integer({ min: 1, max: 5 }),
			forever: fc.boolean(),
			stage: fc.constantFrom('read' as const, 'written' as const),
			kill: fc.boolean(),
		}),
		5,
	),
	storeIsLate: fc.boolean(),
	secret: seldom(fc.record({ at: fc.integer({ min: 1, max: 6 }), forever: fc.boolean() }), 10),
	plainErrors: often(4),
});

const options: fc.Arbitrary<Options> = fc.record({
	resendUnknown: often(3),
	onceKeys: fc.boolean(),
	skipBlacklisted: often(6),
	invalidItems: fc.constantFrom('report' as const, 'stop' as const),
	hours: fc.oneof(
		SIMPLEST_FIRST,
		{ weight: 4, arbitrary: fc.constant('any' as const) },
		{ weight: 1, arbitrary: fc.constantFrom('now' as const, 'later' as const) },
	),
	skipDuplicates: often(2),
	trial: fc.oneof(
		SIMPLEST_FIRST,
		{ weight: 8, arbitrary: fc.constant('none' as const) },
		{
			weight: 2,
			arbitrary: fc.constantFrom('testNumber' as const, 'dry' as const, 'preview' as const),
		},
	),
	lookUp: often(1),
	balance: often(1),
	concurrency: fc.integer({ min: 1, max: 3 }),
	sender: fc.constantFrom('none' as const, 'Shop' as const),
	category: fc.constantFrom('none' as const, 'orders' as const),
	date: fc.oneof(
		SIMPLEST_FIRST,
		{ weight: 4, arbitrary: fc.constant('none' as const) },
		{ weight: 1, arbitrary: fc.constant('May' as const) },
	),
	unsupported: fc.constantFrom('replace' as const, 'keep' as const, 'reject' as const),
	onError: fc.oneof(
		SIMPLEST_FIRST,
		{ weight: 3, arbitrary: fc.constant('stopWorkflow' as const) },
		{ weight: 1, arbitrary: fc.constant('continueRegularOutput' as const) },
		{ weight: 1, arbitrary: fc.constant('continueErrorOutput' as const) },
	),
	tries: fc.oneof(
		SIMPLEST_FIRST,
		{ weight: 2, arbitrary: fc.constant(1) },
		{ weight: 1, arbitrary: fc.integer({ min: 2, max: 3 }) },
	),
});

const run: fc.Arbitrary<RunStep> = fc.record({
	kind: fc.constant('run' as const),
	operation: fc.oneof(
		{ weight: 2, arbitrary: fc.constant('send' as const) },
		{ weight: 1, arbitrary: fc.constant('sendByUrl' as const) },
		{ weight: 4, arbitrary: fc.constant('sendBatch' as const) },
	),
	items,
	loop: seldom(items, 5),
	options,
	trouble,
});

const corrections: fc.Arbitrary<Partial<Options>> = fc.record(
	{
		resendUnknown: fc.boolean(),
		concurrency: fc.integer({ min: 1, max: 3 }),
		sender: fc.constantFrom('none' as const, 'Store' as const),
		category: fc.constantFrom('none' as const, 'offers' as const),
		date: fc.constantFrom('none' as const, 'June' as const),
		unsupported: fc.constantFrom('replace' as const, 'keep' as const),
		hours: fc.constantFrom('any' as const, 'now' as const, 'later' as const),
		onError: fc.constantFrom('stopWorkflow' as const, 'continueRegularOutput' as const),
		newTextOf: fc.integer({ min: 0, max: 3 }),
		newNumberOf: fc.integer({ min: 0, max: 3 }),
		trial: fc.constantFrom('none' as const, 'testNumber' as const, 'preview' as const),
	},
	{ requiredKeys: [] },
);

const retry: fc.Arbitrary<RetryStep> = fc.record({
	kind: fc.constant('retry' as const),
	of: fc.integer({ min: 0, max: 1 }),
	corrections: seldom(corrections, 1),
	answers: fc.array(answers, { maxLength: 4 }),
	trouble,
});

const untroubled = run.map((step): RunStep => ({ ...step, trouble: NO_TROUBLE }));
const together: fc.Arbitrary<TogetherStep> = fc.record({
	kind: fc.constant('together' as const),
	runs: fc.tuple(untroubled, untroubled),
});

const tool: fc.Arbitrary<ToolStep> = fc.record({
	kind: fc.constant('tool' as const),
	operation: fc.constantFrom('send' as const, 'sendByUrl' as const),
	calls: fc.array(
		item.map((call): Item => ({ ...call, to: call.to % 3, text: call.text % 2 })),
		{ minLength: 1, maxLength: 3 },
	),
	tries: fc.integer({ min: 1, max: 2 }),
	plainErrors: often(4),
});

const stop: fc.Arbitrary<StopStep> = fc.record({
	kind: fc.constant('STOP' as const),
	from: fc.integer({ min: 1, max: 2 }),
});

export const NO_TROUBLE: Trouble = {
	stop: null,
	credits: null,
	store: null,
	storeIsLate: false,
	secret: null,
	plainErrors: false,
};

export const PLAIN: Options = {
	resendUnknown: false,
	onceKeys: false,
	skipBlacklisted: false,
	invalidItems: 'report',
	hours: 'any',
	skipDuplicates: false,
	trial: 'none',
	lookUp: true,
	balance: true,
	concurrency: 3,
	sender: 'none',
	category: 'none',
	date: 'none',
	unsupported: 'replace',
	onError: 'stopWorkflow',
	tries: 1,
};

/** One to six steps. */
export const history: fc.Arbitrary<History> = fc.array(
	fc.oneof(
		{ weight: 6, arbitrary: run as fc.Arbitrary<Step> },
		{ weight: 5, arbitrary: retry as fc.Arbitrary<Step> },
		{ weight: 1, arbitrary: together as fc.Arbitrary<Step> },
		{ weight: 1, arbitrary: tool as fc.Arbitrary<Step> },
		{ weight: 1, arbitrary: stop as fc.Arbitrary<Step> },
	),
	{ minLength: 1, maxLength: 6 },
);

/** A history as a short list of steps, for a person. */
export function describeHistory(steps: History): string {
	return steps.map((step, index) => `${index + 1}. ${describeStep(step)}`).join('\n');
}

function describeStep(step: Step): string {
	switch (step.kind) {
		case 'STOP':
			return `${NUMBERS[step.from]} says STOP`;
		case 'tool':
			return [
				`an agent invokes ${step.operation}${step.tries > 1 ? `, ${step.tries} tries` : ''}${step.plainErrors ? ', plain errors' : ''}`,
				...describeItems(step.calls, false),
			].join('\n');
		case 'together':
			return ['at the same moment', ...step.runs.map((each) => describeStep(each))].join(
				'\n   and ',
			);
		case 'retry':
			return [
				`retry of the ${step.of === 0 ? 'latest' : 'one before the latest'} that can be retried, ${step.corrections === null ? 'with the stored workflow' : `with the saved workflow: ${describeValues(step.corrections)}`}${describeTrouble(step.trouble)}`,
				...step.answers.flatMap((each, index) =>
					each.length === 0 ? [] : [`     item ${index} answers: ${each.join(', ')}`],
				),
			].join('\n');
		case 'run':
			return [
				`${step.operation}: ${describeValues(changed(step.options))}${describeTrouble(step.trouble)}`,
				...describeItems(step.items, step.options.onceKeys),
				...(step.loop === null ? [] : ['     then again, in a loop:']),
				...describeItems(step.loop ?? [], step.options.onceKeys),
			].join('\n');
	}
}

/** Said of each execution, unless it is so. */
const UNSAID: Partial<Options> = {
	...PLAIN,
	lookUp: false,
	balance: false,
	concurrency: undefined,
};

function changed(all: Options): Partial<Options> {
	return Object.fromEntries(
		Object.entries(all).filter(([name, value]) => UNSAID[name as keyof Options] !== value),
	);
}

function describeValues(values: object): string {
	const parts = Object.entries(values)
		.filter(([, value]) => value !== undefined)
		.map(([name, value]) => (value === true ? name : `${name} ${String(value)}`));
	return parts.length === 0 ? 'as it is' : parts.join(', ');
}

function describeTrouble({ stop: stopped, credits, store, secret, ...rest }: Trouble): string {
	const parts = [
		stopped && `stopped at ${stopped.at} ${stopped.count}`,
		credits !== null && `${credits} credits left`,
		store &&
			`the store ${store.kill ? 'hangs (n8n is killed)' : 'fails'} at call ${store.at}${store.forever ? ' and after' : ''}, ${store.stage === 'read' ? 'before' : 'after'} it wrote`,
		rest.storeIsLate && 'the store is late',
		secret &&
			`the credential can't be read the ${secret.at}. time${secret.forever ? ' and after' : ''}`,
		rest.plainErrors && 'plain errors',
	].filter(Boolean);
	return parts.length === 0 ? '' : `; ${parts.join(', ')}`;
}

function describeItems(list: Item[], keys: boolean): string[] {
	return list.map(
		({ to, text, key, answers: each }, index) =>
			`     item ${index}: ${NUMBERS[to]} "${TEXTS[text]}"${keys ? ` key ${key}` : ''}${each.length === 0 ? '' : `, answers: ${each.join(', ')}`}`,
	);
}
