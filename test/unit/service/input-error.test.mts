/** Refusals of every field for a text, and how an error shows a wrong value. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
	InputError,
	oneLine,
	requireText,
	show,
	startOf,
} from '../../../nodes/shared/service/InputError.ts';

const [HIGH, LOW] = ['\ud83d', '\ude00'];

test.each([HIGH, LOW, LOW + HIGH, `orders ${HIGH}`, `${LOW} orders`, `😀${HIGH}😀`])(
	'half of an emoji in %j is refused: all halves are sent as the same character',
	(text) => {
		expect(() => requireText(text, 'Category')).toThrowError(InputError);
		expect(() => requireText(text, 'Category')).toThrowError(
			"'Category' has half of an emoji or of another character",
		);
	},
);

test('whatever can be sent as it is, is taken', () => {
	const text = fc.string({
		unit: fc.oneof(fc.constantFrom(HIGH, LOW), fc.string({ unit: 'binary' })),
	});
	fc.assert(
		fc.property(text, (typed) => {
			const isSentAsItIs = Buffer.from(typed, 'utf8').toString('utf8') === typed;
			if (isSentAsItIs) expect(requireText(typed, 'Category')).toBe(typed);
			else expect(() => requireText(typed, 'Category')).toThrowError(InputError);
		}),
		{ numRuns: 1_000 },
	);
});

test('a value is shown in part, and never with half of an emoji', () => {
	expect(show('a'.repeat(41))).toBe(`"${'a'.repeat(40)}…"`);
	expect(show(`${'a'.repeat(39)}😀😀`)).toBe(`"${'a'.repeat(39)}…"`);
	expect(startOf('a😀b😀', 5)).toBe('a😀b');
	expect(startOf('a😀b😀', 6)).toBe('a😀b😀');
});

// Issue 49: C1 survived, and a line break in a field made a line of its own in hints and in n8n's log.
const FORGED = [
	'\n',
	'\r\n',
	'\u2028',
	'\u2029',
	'\u0085',
	'\u000b',
	'\u001b[2K',
	'\u009b31m',
	'\u202e',
	'\0',
];

test.each(FORGED)('%j in what is quoted makes no line and no escape of its own', (part) => {
	const typed = `06${part}Already accepted: 3 items`;
	for (const text of [
		show(typed),
		oneLine(typed),
		new InputError(`'Phone Number' is ${typed}`).message,
	]) {
		expect(text).not.toMatch(/[\p{Cc}\u2028\u2029\u202e]/u);
		expect(text).toMatch(/06 .*Already accepted/);
	}
});

test('letters of any language, emoji and joiners are left alone', () => {
	const text = 'Œuvre ñ é\u0301 العربية 👩\u200d👩\u200d👧 ❤\ufe0f \u00a0';
	expect(oneLine(text)).toBe(text);
});
