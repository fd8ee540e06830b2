/**
 * Waiting for replies with From Number and Replies Already Seen, in sequences: several phones, several
 * questions to the same one, replies that change places and their format, or are there once more.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
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

test('each reply of a phone is seen once by who waits for it, and by nobody else', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(step, { minLength: 3, maxLength: 14 }),
			fc.constantFrom('list', 'text'),
			async (steps, how) => {
				sim.reset();
				const replies: Array<{ id: string; phone: number; form: number }> = [];
				const seen = PHONES.map(() => new Array<string>());
				const answer = (shown: typeof replies) =>
					sim.service.setReplies(
						CATEGORY,
						shown.map(({ id, phone, form }) => ({
							...{ id, message: 'Oui' },
							identifier: PHONES[phone][form],
						})),
					);
				for (const one of steps) {
					if (one.kind === 'reply') {
						replies.push({ id: `r${replies.length}`, ...one });
					} else if (one.kind === 'reorder') {
						replies.reverse();
					} else if (one.kind === 'reformat') {
						for (const reply of replies) reply.form = (reply.form + 1) % 4;
					} else {
						answer(replies);
						const known = seen[one.phone];
						const { items, error } = await smsStats(
							sim,
							'replies',
							{
								...{ category: CATEGORY, returnAll: true },
								options: {
									fromNumber: PHONES[one.phone][one.form],
									receivedAfter:
										how === 'list'
											? '={{ $json.seen }}'
											: "={{ $json.seen.join(', ') }}",
								},
							},
							{ items: [{ seen: known }] },
						);
						expect(error).toBeUndefined();
						const fresh = replies.filter(
							({ id, phone }) => phone === one.phone && !known.includes(id),
						);
						const got = jsonOf(items).filter(({ id }) => id !== undefined);
						expect(got.map(({ id }) => id)).toEqual(fresh.map(({ id }) => id));
						for (const reply of got) {
							expect(reply).toMatchObject({
								intent: 'yes',
								number: PHONES[one.phone][0],
							});
							known.push(String(reply.id));
						}
					}
				}
			},
		),
		{ numRuns: 60 },
	);
}, 60_000);
