/** Histories of executions: the steps that they consist of, how they are drawn, and how they are read. */
import fc from 'fast-check';
import { ANSWERS, type AnswerName } from './answers.mts';

export type Operation = 'send' | 'sendByUrl' | 'sendBatch';

/** Recipients; the first two are one and the same, the last one can't be sent to. */
export const NUMBERS = ['06 39 98 00 01', '+33639980001', '+33639980002', 'nobody'];
/** Texts; the last one has a character that the service doesn't take. */
export const TEXTS = ['Bonjour', 'Bonsoir', 'L’été'];
/** Corrections of them, the last one of `nobody`. */
export const NEW_NUMBER = '+33639980009';
export const NEW_TEXT = 'Corrected';
export const SOMEBODY = '+33639980008';

/** One input item, and how the service answers its requests, one after the other; then as it should. */
export interface Item {
	to: number;
	text: number;
	key: number;
	answers: AnswerName[];
}

/** The settings of the node that a user chooses, and may correct before a retry. */
export interface Options {
	resendUnknown: boolean;
	onceKeys: boolean;
	skipBlacklisted: boolean;
	skipDuplicates: boolean;
	/** sendBatch only. */
	invalidItems: 'report' | 'stop';
	failIfIncomplete: boolean;
	checkBalance: boolean;
	/** 0 for no limit. */
	maxCredits: number;
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
	/** Every `nobody` was corrected. */
	noNobody?: boolean;
}

/** Faults beside the answers of the service. */
export interface Trouble {
	/** The execution is stopped when so many requests have arrived, or calls of the store. */
	stop: { at: 'request' | 'store'; count: number } | null;
	/** The credits left on the account. */
	credits: number | null;
	/** The call of n8n's store that fails; with `kill`, n8n is killed while it waits for it. */
	store: { at: number; forever: boolean; stage: 'read' | 'written'; kill: boolean } | null;
	storeIsLate: boolean;
	/** Look-ups fail, or show nothing of what the service has accepted. */
	lookUps: 'fail' | 'hide' | null;
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

/** A recipient says STOP. */
export interface StopStep {
	kind: 'STOP';
	from: number;
}

export type Step = RunStep | RetryStep | StopStep;
export type History = Step[];

export const NO_TROUBLE: Trouble = {
	stop: null,
	credits: null,
	store: null,
	storeIsLate: false,
	lookUps: null,
	plainErrors: false,
};

export const PLAIN: Options = {
	resendUnknown: false,
	onceKeys: false,
	skipBlacklisted: false,
	skipDuplicates: false,
	invalidItems: 'report',
	failIfIncomplete: false,
	checkBalance: true,
	maxCredits: 0,
	concurrency: 3,
	sender: 'none',
	category: 'none',
	date: 'none',
	unsupported: 'replace',
	onError: 'stopWorkflow',
	tries: 1,
};

/** The once key of an item. */
export const keyOf = (key: number) => `order ${key}`;

/** Tells the requests of an item from all others. */
export const tagOf = (id: number, run: number | string, item: number | string) =>
	`${id}r${run}i${item}`;

/** The first one `share` times as often as the other; a history shrinks to it. */
const mostly = <T,>(share: number, first: fc.Arbitrary<T>, other: fc.Arbitrary<T>) =>
	fc.oneof(
		{ withCrossShrink: true },
		{ weight: share, arbitrary: first },
		{ weight: 1, arbitrary: other },
	);
const one = <T,>(...values: T[]) => fc.constantFrom(...values);
const seldom = <T,>(share: number, arbitrary: fc.Arbitrary<T>) =>
	mostly<T | null>(share, fc.constant(null), arbitrary);
const upTo = (max: number, min = 0) => fc.integer({ min, max });

const answer = one<AnswerName>('ok', ...(Object.keys(ANSWERS) as AnswerName[]));
const answers = mostly<AnswerName[]>(
	1,
	fc.constant([]),
	fc.array(answer, { minLength: 1, maxLength: 3 }),
);
const items = fc.array(
	fc.record<Item>({
		to: mostly(12, upTo(2), fc.constant(3)),
		text: mostly(8, upTo(1), fc.constant(2)),
		key: upTo(4),
		answers,
	}),
	{ minLength: 1, maxLength: 5 },
);

const trouble = fc.record<Trouble>({
	stop: seldom(6, fc.record({ at: one('request', 'store'), count: upTo(4) })),
	credits: seldom(6, upTo(4)),
	store: seldom(
		5,
		fc.record({
			at: upTo(5, 1),
			forever: fc.boolean(),
			stage: one('read', 'written'),
			kill: fc.boolean(),
		}),
	),
	storeIsLate: fc.boolean(),
	lookUps: seldom(4, one('fail', 'hide')),
	plainErrors: mostly(4, one(false), one(true)),
});

const options = fc.record<Options>({
	resendUnknown: mostly(3, one(false), one(true)),
	onceKeys: fc.boolean(),
	skipBlacklisted: mostly(6, one(false), one(true)),
	skipDuplicates: mostly(2, one(false), one(true)),
	invalidItems: one('report', 'stop'),
	failIfIncomplete: fc.boolean(),
	checkBalance: fc.boolean(),
	maxCredits: mostly(3, fc.constant(0), upTo(4, 1)),
	concurrency: upTo(3, 1),
	sender: one('none', 'Shop'),
	category: one('none', 'orders'),
	date: mostly(4, one('none'), one('May')),
	unsupported: one('replace', 'keep', 'reject'),
	onError: mostly(1, one('stopWorkflow'), one('continueRegularOutput', 'continueErrorOutput')),
	tries: mostly(2, fc.constant(1), upTo(3, 2)),
});

const corrections = fc.record<Partial<Options>>(
	{
		resendUnknown: fc.boolean(),
		concurrency: upTo(3, 1),
		sender: one('none', 'Store'),
		category: one('none', 'offers'),
		date: one('none', 'June'),
		unsupported: one('replace', 'keep'),
		onError: one('stopWorkflow', 'continueRegularOutput'),
		newTextOf: upTo(3),
		newNumberOf: upTo(3),
	},
	{ requiredKeys: [] },
) as fc.Arbitrary<Partial<Options>>;

const run = fc.record<RunStep>({
	kind: one('run'),
	operation: one('send', 'send', 'sendByUrl', 'sendBatch', 'sendBatch', 'sendBatch'),
	items,
	loop: seldom(4, items),
	options,
	trouble,
});
const retry = fc.record<RetryStep>({
	kind: one('retry'),
	of: upTo(1),
	corrections: seldom(1, corrections),
	answers: fc.array(answers, { maxLength: 4 }),
	trouble,
});
const stop = fc.record<StopStep>({ kind: one('STOP'), from: upTo(2, 1) });

/** One to six steps. */
export const history: fc.Arbitrary<History> = fc.array(
	fc.oneof(
		{ weight: 6, arbitrary: run as fc.Arbitrary<Step> },
		{ weight: 5, arbitrary: retry as fc.Arbitrary<Step> },
		{ weight: 1, arbitrary: stop as fc.Arbitrary<Step> },
	),
	{ minLength: 1, maxLength: 6 },
);

/** A history with a line for each step, without the settings that are as usual. */
export function describeHistory(steps: History): string {
	const unusual = <T extends object>(values: T, usual: T) =>
		Object.entries(values).filter(([name, value]) => usual[name as keyof T] !== value);
	return steps
		.map((step) => {
			if (step.kind === 'STOP') return `STOP of ${NUMBERS[step.from]}`;
			const set = step.kind === 'run' ? { options: unusual(step.options, PLAIN) } : {};
			return JSON.stringify({ ...step, ...set, trouble: unusual(step.trouble, NO_TROUBLE) });
		})
		.map((line, index) => `${index + 1}. ${line}`)
		.join('\n');
}
