/** Items on their way through the stages (design, Architecture: admission). */
import { expect, test } from 'vitest';
import type { Item } from '../../../nodes/shared/fields/item.ts';
import { Admissions, type Beginning, type Stage } from '../../../nodes/shared/run/admission.ts';
import type { Open, Prepared } from '../../../nodes/shared/run/entries.ts';
import { StepFailed, type Failed, type Outcome } from '../../../nodes/shared/run/outcome.ts';
import type { Requests } from '../../../nodes/shared/run/Requests.ts';

const FAILED: Failed = {
	status: 'refused',
	message: 'No',
	advice: '',
	transient: false,
	general: false,
};
const DONE: Outcome = { status: 'done', value: {} };
const UNKNOWN: Failed = { ...FAILED, status: 'unknown' };
const SKIPPED: Outcome = { status: 'skipped', reason: 'x' };

const items = (count: number): Array<Open<Prepared>> =>
	Array.from({ length: count }, (_, index) => ({
		index,
		item: {} as Item,
		identity: {},
		prepared: {},
	}));

/** A stage that gives a ticket to each item, and writes down what it hears. */
function desk(name: string, heard: string[], wasUnknown = false): Stage {
	return {
		admit: ({ index }) => ({
			ticket: { wasUnknown, settle: (fate) => void heard.push(`${name} ${index}: ${fate}`) },
		}),
	};
}

/** Leads items through these stages; says what became of each, and which were carried out. */
async function lead(
	stages: Stage[],
	{ count = 1, carry = () => DONE, isClosed = () => false } = {} as {
		count?: number;
		carry?: (index: number) => Outcome;
		isClosed?: () => boolean;
	},
) {
	const settled: Outcome[] = [];
	const door = { isClosed, settle: (outcome: Outcome) => (settled.push(outcome), outcome) };
	const outcomes: Outcome[] = [];
	const carried: number[] = [];
	await new Admissions(stages, door).each(
		items(count),
		({ index }) => (carried.push(index), carry(index)),
		({ index }, outcome) => (outcomes[index] = outcome),
	);
	return { outcomes, carried, settled };
}

test('each ticket hears what became of its item', async () => {
	const heard: string[] = [];
	const fates: Outcome[] = [DONE, FAILED, UNKNOWN, { status: 'previewed', fields: {} }];
	await lead([desk('a', heard), desk('b', heard)], {
		count: fates.length,
		carry: (index) => fates[index],
	});
	expect(heard.sort()).toEqual(
		['a', 'b'].flatMap((name) => [
			`${name} 0: accepted`,
			`${name} 1: notCarriedOut`,
			`${name} 2: unknown`,
			`${name} 3: accepted`,
		]),
	);
});

test('what another execution may have sent stays unknown, whatever this one does in vain', async () => {
	const heard: string[] = [];
	const { outcomes } = await lead([desk('key', heard, true)], { carry: () => FAILED });
	expect(outcomes).toMatchObject([{ status: 'unknown' }]);
	expect(heard).toEqual(['key 0: unknown']);
});

test('what a stage keeps back is not carried out; the tickets before it hear so, those after it never were', async () => {
	const heard: string[] = [];
	const keepsBack: Stage = { admit: () => ({ outcome: SKIPPED }) };
	const run = await lead([desk('a', heard), keepsBack, desk('b', heard)]);
	expect(run).toEqual({ outcomes: [SKIPPED], carried: [], settled: [SKIPPED] });
	expect(heard).toEqual(['a 0: notCarriedOut']);
});

test('what may have been carried out before stays unknown, whatever this try did not do', async () => {
	const heard: string[] = [];
	const carry = () => FAILED;
	const { outcomes } = await lead([desk('a', heard, true)], { carry });
	expect(outcomes[0]).toMatchObject({ status: 'unknown' });
	expect(heard).toEqual(['a 0: unknown']);
	const done = await lead([desk('a', heard, true)]);
	expect(done.outcomes).toEqual([DONE]);
});

test('a stage whose own request is unknown has certainly not sent the item', async () => {
	const { outcomes, carried, settled } = await lead([
		{ admit: async () => await Promise.reject(new StepFailed(UNKNOWN)) },
	]);
	expect(outcomes[0]).toMatchObject({ status: 'notSent', message: UNKNOWN.message });
	expect([carried, settled]).toEqual([[], outcomes]);
});

test('after the stop of the run, no stage is asked, and nothing is carried out', async () => {
	const heard: string[] = [];
	let closed = false;
	const stops: Stage = { admit: () => void (closed = true) };
	const run = await lead([stops, desk('a', heard)], { count: 2, isClosed: () => closed });
	expect(run.outcomes).toEqual(
		Array(2).fill(expect.objectContaining({ status: 'notSent', isHeldBack: true })),
	);
	expect([run.carried, heard]).toEqual([[], []]);
});

test('a prediction counts those that the stages let through, duplicates of the counted ones left out', async () => {
	const beginning: Beginning = { requests: {} as Requests, madeBefore: new Map() };
	const heard: string[] = [];
	const everySecond: Stage = {
		admit: ({ index }) => (index % 2 === 0 ? undefined : { outcome: SKIPPED }),
	};
	const admissions = new Admissions([desk('a', heard), everySecond]);
	expect(await admissions.predict(items(5), beginning)).toBe(3);
	expect(heard.filter((each) => each.endsWith('accepted'))).toHaveLength(3);
});

test('what the stages have to say in the end is said in their order', async () => {
	const says = (text?: string): Stage => ({
		admit: () => undefined,
		end: async () => await Promise.resolve(text),
	});
	expect(await new Admissions([says('one'), says(), says('two')]).end()).toEqual(['one', 'two']);
});
