/**
 * Waiting for replies with From Number and Replies Already Seen, in sequences: several phones, several
 * questions to the same one, replies that change places and their format, or are there once more.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { playHistories } from '../../harness/histories.mts';
import { CATEGORY, hurry, jsonOf, smsStats } from './support.mts';

hurry();
const sim = await useSimulator();

/** Phones, each in the forms in which the service may have a number (interface document 2.6, 2.11). */
const PHONES = [
	['+33639980001', '0639980001', '33639980001', '+33 (0)6 39 98 00 01'],
	['+33639980002', '06 39 98 00 02', '0033639980002', '639980002'],
	['+590690123456', '0690123456', '+33690123456', '00590690123456'],
	['+447400123456', '00447400123456', '+44 7400 123456', '+44 (0)7400 123456'],
] as const;

const someone = fc.record({ phone: fc.nat(3), form: fc.nat(3) });
const step = fc.oneof(
	{ weight: 4, arbitrary: someone.map((who) => ({ kind: 'reply' as const, ...who })) },
	{ weight: 4, arbitrary: someone.map((who) => ({ kind: 'look' as const, ...who })) },
	{ weight: 1, arbitrary: fc.constant({ kind: 'reorder' as const }) },
	{ weight: 1, arbitrary: fc.constant({ kind: 'reformat' as const }) },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Reply {
	id: string;
	phone: number;
	form: number;
}

/** Plays steps with a workflow that gives the IDs it has seen as a list or as a text. */
async function play([steps, how]: [Array<Step>, string]): Promise<void> {
	sim.reset();
	const replies: Reply[] = [];
	const seen = PHONES.map(() => new Array<string>());
	for (const one of steps) {
		if (one.kind === 'reply') replies.push({ id: `r${replies.length}`, ...one });
		else if (one.kind === 'reorder') replies.reverse();
		else if (one.kind === 'reformat')
			for (const reply of replies) reply.form = (reply.form + 1) % 4;
		else await look(one, replies, seen[one.phone], how);
	}
}

/** Looks for new replies of a phone, and adds them to those that are known. */
async function look(
	{ phone, form }: Pick<Reply, 'phone' | 'form'>,
	replies: readonly Reply[],
	known: string[],
	how: string,
): Promise<void> {
	sim.service.setReplies(
		CATEGORY,
		replies.map(({ id, ...of }) => ({
			...{ id, message: 'Oui', identifier: PHONES[of.phone][of.form] },
		})),
	);
	const { items, error } = await smsStats(
		sim,
		'replies',
		{
			...{ category: CATEGORY, returnAll: true },
			options: {
				fromNumber: PHONES[phone][form],
				receivedAfter:
					how === 'list' ? '={{ $json.seen }}' : "={{ $json.seen.join(', ') }}",
			},
		},
		{ items: [{ seen: known }] },
	);
	expect(error).toBeUndefined();
	const fresh = replies.filter((reply) => reply.phone === phone && !known.includes(reply.id));
	const got = jsonOf(items).filter(({ id }) => id !== undefined);
	expect(got.map(({ id }) => id)).toEqual(fresh.map(({ id }) => id));
	for (const reply of got) {
		expect(reply).toMatchObject({ intent: 'yes', number: PHONES[phone][0] });
		known.push(String(reply.id));
	}
}

test('each reply of a phone is seen once by who waits for it, and by nobody else', async () => {
	await playHistories({
		count: 60,
		drawn: fc.tuple(
			fc.array(step, { minLength: 3, maxLength: 14 }),
			fc.constantFrom('list', 'text'),
		),
		play,
	});
}, 60_000);
