import {
	describeClock,
	HOURS_ARE,
	otherClocks,
	type Schedule,
} from '../shared/fields/allowedHours';
import { TIME_ZONE } from '../shared/service/allowedHours';
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
	empty: (found: string) =>
		`${DOUBTS.empty(found)} With 'Refuse Empty Fields', such a message isn't sent.`,
	placeholder: (found: string) =>
		`Recipients read ${found} as it is. Write the value itself, or an expression such as {{ $json.name }}.`,
	madeUp: noteOnMadeUp,
	hours: (found: string) =>
		describeClock(
			HOURS_ARE,
			found,
			`, or set '${TIME_ZONE}' of 'Allowed Hours' to Recipient's`,
		),
	sendAt: (found: string) =>
		describeClock(
			"'Send At' is",
			found,
			', or write the offset behind the time, such as +01:00',
		),
	long: (found: string) => `A message has more than ${MOST_SEGMENTS} segments: ${found}.`,
};

/** The kind of a warning, and the part of the message that it is about. */
export type Warning = readonly [kind: keyof typeof NOTES, found: string];

/** A message as it was typed. */
interface Typed {
	/** The text before its characters are replaced. */
	typed: string;
	segments: number;
	item: Pick<Item, 'json' | 'parts'>;
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
		...(schedule === undefined ? { hours: [], sendAt: [] } : otherClocks(schedule, number)),
	} satisfies Record<Warning[0], readonly string[]>;
	return Object.entries(found).flatMap(([kind, texts]) =>
		[...new Set(texts)].map((text) => [kind as Warning[0], text] as const),
	);
}

/** Recipients of such a text that are named. */
const MOST_RECIPIENTS = 3;

/** A message with what its recipient would hardly expect. */
interface Doubtful {
	/** In international format. */
	recipient?: string;
	warnings: readonly Warning[];
	replacements: readonly Replacement[];
}

/**
 * Says above the results what recipients would hardly expect, and which characters were replaced.
 *
 * @param warn is told the former
 * @returns the latter
 */
export function notesOn(messages: readonly Doubtful[], warn: (text: string) => unknown): string[] {
	const told: Record<string, Map<string, Array<string | undefined>>> = {};
	for (const { warnings, recipient } of messages) {
		for (const [kind, found] of warnings) {
			const byText = (told[kind] ??= new Map());
			if (byText.get(found)?.push(recipient) === undefined) byText.set(found, [recipient]);
		}
	}
	for (const [kind, describe] of Object.entries(NOTES)) {
		if (!(kind in told)) continue;
		const named = [...told[kind]].map(([found, those]) =>
			// A number that looks made up is its recipient's.
			those.includes(found) ? found : `${found} (${namesOf(those)})`,
		);
		warn(describe(listOf(named)));
	}
	return [noteOnReplacements(messages) ?? []].flat();
}

function namesOf(recipients: ReadonlyArray<string | undefined>): string {
	const known = recipients.filter((recipient) => recipient !== undefined);
	const areKnown = known.length === recipients.length;
	return areKnown
		? listOf([...new Set(known)], MOST_RECIPIENTS)
		: countOf(recipients.length, 'item');
}
