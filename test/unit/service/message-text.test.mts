/** The text of a message under the three settings of 'Unsupported Characters'. */
import { describe, expect, test } from 'vitest';
import {
	describeReplacements,
	prepareMessage,
	requireMessage,
	type UnsupportedCharacters,
} from '../../../nodes/shared/service/messageText.ts';
import { refusalOf } from '../refusal.mts';

const refusal = (value: unknown, unsupported: UnsupportedCharacters = 'reject') =>
	refusalOf(() => prepareMessage(requireMessage(value), 'notification', unsupported));

const ALL: UnsupportedCharacters[] = ['reject', 'replace', 'keep'];

test.each(ALL)('%s leaves an accepted text as it is', (unsupported) => {
	const text = '  Déjà là ?\n(oui) ';
	expect(prepareMessage(text, 'marketing', unsupported)).toEqual({ text, replacements: [] });
});

describe('reject', () => {
	test.each<[text: string, says: string]>([
		['L’été ç', 'refuses in a notification message: ’ at 2, ç at 7'],
		['a\u00a0b\u200bc\td', 'U+00A0 at 2, U+200B at 4, U+0009 at 6'],
		['\u0301a', 'U+0301 at 1'],
		['ok 👨‍👩‍👧 ok', ': 👨‍👩‍👧 at 4'],
		['çççççççç', 'ç at 1, ç at 2, ç at 3, ç at 4, ç at 5 and 3 more'],
		['ççççç', 'ç at 5'],
		['9 €', '€ at 3'],
		['Merci 😀'.slice(0, -1), 'U+D83D at 7'],
	])('%j: %s', (text, says) => {
		const { message, description } = refusal(text);
		expect(message.endsWith(says), message).toBe(true);
		expect(description).toContain("'Unsupported Characters'");
	});
});

test('replace refuses letters that have no stand-in, without pointing to itself', () => {
	const { message, description } = refusal('Bonjour Жанна', 'replace');
	expect(message).toContain('Ж at 9');
	expect(description).not.toContain('Replace');
});

describe('keep', () => {
	test('sends refused characters as they are', () => {
		const text = 'Жанна’s ç 👋\u00a0';
		expect(prepareMessage(text, 'notification', 'keep')).toEqual({ text, replacements: [] });
	});

	test('refuses half of an emoji, and says how to cut a text', () => {
		const { description } = refusal('Merci 😀'.slice(0, -1), 'keep');
		expect(description).toContain(".slice(0, 20).join('')");
	});
});

/** 255 segments of 153 characters: 3GPP TS 23.040, 9.2.3.24.1, and TS 23.038. */
describe.each(ALL)('a text that no SMS can hold, with %s', (unsupported) => {
	test('is refused, and says how long it is', () => {
		const { message, description } = refusal('a'.repeat(39_016), unsupported);
		expect(message).toBe(
			"'Message' has 39,016 characters, which is more than an SMS can ever have",
		);
		expect(description).toContain('The maximum is 39,015.');
		expect(refusal(`[object Object]${' '.repeat(39_015)}`, unsupported).message).toContain(
			'39,030 characters',
		);
	});

	test('the longest is taken', () => {
		const text = 'a'.repeat(39_015);
		expect(prepareMessage(text, 'notification', unsupported).text).toBe(text);
	});
});

test('a text that is too long once its characters are replaced is refused', () => {
	expect(refusal('‰'.repeat(10_000), 'replace').message).toContain('100,000 characters');
});

describe.each(ALL)('with %s', (unsupported) => {
	test.each([
		...[
			'{{ $json.name }}',
			'{{$json["a b"]}}',
			'{{ Prénom }}',
			'{{first_name}}',
			'{{{ nom }}}',
		],
		...['{{ "M. " + $json.name }}', '{{ $json.a.map((b) => { return b }) }}'],
		...['$json.name', '$json["a b"]', "$('Webhook').first().json.name"],
	])('%s as text is refused', (placeholder) => {
		const { message, description } = refusal(`Hello ${placeholder}!`, unsupported);
		expect(message).toContain("'Message' contains ");
		expect(message).toContain(' as text, so the recipient would read that');
		expect(description).toContain("'Message' has to be an Expression, not Fixed");
	});
});

test('invisible characters have names in what was replaced', () => {
	const { replacements } = prepareMessage(
		'a\u00a0b\u200bc\td\u202fe\u2028f\u00adg\ufeffh\u{e0041}',
		'notification',
		'replace',
	);
	expect(describeReplacements(replacements)).toBe(
		'no-break space → space, zero-width space removed, tab → space, narrow no-break space → space, line separator → line break, soft hyphen removed, byte order mark removed, U+E0041 removed',
	);
});

test('code points are for what nobody sees, alone', () => {
	const { replacements } = prepareMessage(
		'2½ a\u0301x\u0301 1\ufe0f⃣',
		'notification',
		'replace',
	);
	expect(describeReplacements(replacements)).toMatch(/^½ → 1\/2, /);
	expect(describeReplacements(replacements)).not.toContain('U+');
});

test('a text of emoji only is not called an empty field', () => {
	const { description } = refusal('👋 🎄', 'replace');
	expect(description).toContain('👋 removed, 🎄 removed');
	expect(description).not.toContain('empty');
	expect(refusal('  ', 'replace').description).toContain('empty');
});

test('a lost letter is refused, unless it is to be kept', () => {
	for (const unsupported of ['replace', 'reject'] as const) {
		expect(() =>
			prepareMessage('Votre r\ufffdservation', 'notification', unsupported),
		).toThrowError('\ufffd at 8');
	}
	expect(prepareMessage('r\ufffds', 'notification', 'keep').text).toBe('r\ufffds');
});
