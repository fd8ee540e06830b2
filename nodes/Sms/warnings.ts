import type { Schedule } from '../shared/fields/allowedHours';
import { DOUBTS, doubtsAbout } from '../shared/fields/doubts';
import type { Item } from '../shared/fields/item';
import { noteOnReplacements } from '../shared/service/messageText';
import type { Replacement } from '../shared/service/characters';
import { countOf, listOf } from '../shared/service/countOf';
import { lettersOf } from '../shared/service/lists';
import { looksMadeUp, noteOnMadeUp } from '../shared/service/number';
import { foreignPlaceholders } from '../shared/service/placeholders';

/** More are rarely meant. */
const MOST_SEGMENTS = 10;

/** Says of a text what its recipient would hardly expect. */
const NOTES = {
	...DOUBTS,
	placeholder: (found: string) =>
		`Recipients read ${found} as it is. Write the value itself, or an expression such as {{ $json.name }}.`,
	madeUp: noteOnMadeUp,
	atOnce: (found: string) =>
		`'Send At' is empty, which means ${found}. Choose a date, or remove the option.`,
	long: (found: string) => `A message has more than ${MOST_SEGMENTS} segments: ${found}.`,
};

/** The kind of a warning, and the part of the message that it is about. */
export type Warning = readonly [kind: keyof typeof NOTES, found: string];

/** A message as it was typed. */
interface Typed {
	/** The text before its characters are replaced. */
	typed: string;
	segments: number;
	item: Pick<Item, 'json' | 'parts' | 'options' | 'varies'>;
	/** The recipient in international format. */
	number?: string;
	schedule?: Schedule;
}

export function warningsOf({ typed, segments, item, number = '', schedule }: Typed): Warning[] {
	const isField = (name: string) =>
		Object.keys(item.json).some((field) => lettersOf(field) === lettersOf(name));
	const found = {
		...doubtsAbout(item, typed, schedule),
		placeholder: foreignPlaceholders(typed, isField),
		long: segments > MOST_SEGMENTS ? [countOf(segments, 'segment')] : [],
		madeUp: looksMadeUp(number) ? [number] : [],
		atOnce: item.options.date === '' && !item.varies('date') ? ['at once'] : [],
	} satisfies Record<Warning[0], readonly string[]>;
	return Object.entries(found).flatMap(([kind, texts]) =>
		[...new Set(texts)].map((text) => [kind as Warning[0], text] as const),
	);
}

/** Texts of a kind that are named. */
const MOST_NAMED = 5;

/**
 * Says above the results what recipients would hardly expect, and which characters were replaced.
 *
 * @param warn is told the former
 * @returns the latter
 */
export function notesOn(
	messages: ReadonlyArray<{ warnings: readonly Warning[]; replacements: readonly Replacement[] }>,
	warn: (text: string) => unknown,
): string[] {
	const all = messages.flatMap(({ warnings }) => warnings);
	for (const [kind, describe] of Object.entries(NOTES)) {
		const times = new Map<string, number>();
		for (const [ofKind, found] of all)
			if (ofKind === kind) times.set(found, (times.get(found) ?? 0) + 1);
		const named = [...times].map(([found, count]) => `${found} (${countOf(count, 'item')})`);
		if (named.length > 0) warn(describe(listOf(named, MOST_NAMED)));
	}
	return [noteOnReplacements(messages) ?? []].flat();
}
