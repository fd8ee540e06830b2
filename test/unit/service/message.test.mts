/** The text of a message under the three settings of 'Unsupported Characters'. */
import { describe, expect, test } from 'vitest';
import { InputError } from '../../../nodes/shared/service/InputError.ts';
import {
	describeReplacements,
	prepareMessage,
	requireMessage,
	type UnsupportedCharacters,
} from '../../../nodes/shared/service/message.ts';

function refusal(value: unknown, unsupported: UnsupportedCharacters = 'reject'): InputError {
	try {
		prepareMessage(requireMessage(value), 'notification', unsupported);
	} catch (error) {
		expect(error).toBeInstanceOf(InputError);
		return error as InputError;
	}
	throw new Error(`${String(value)} was accepted`);
}

const ALL: UnsupportedCharacters[] = ['reject', 'replace', 'keep'];

test.each(ALL)('%s leaves an accepted text as it is', (unsupported) => {
	const text = '  Déjà là ?\n(oui) ';
	expect(prepareMessage(text, 'marketing', unsupported)).toEqual({ text, replacements: [] });
});

test('a number is taken as it is written', () => {
	expect(requireMessage(482913)).toBe('482913');
});

describe('reject', () => {
	test('names each refused character and where it stands', () => {
		expect(refusal('L’été ç').message).toBe(
			"'Message' has characters that the service refuses in a notification message: ’ at 2, ç at 7",
		);
	});

	test('names what can not be seen by its code', () => {
		expect(refusal('a\u00a0b\u200bc\td').message).toContain(
			'U+00A0 at 2, U+200B at 4, U+0009 at 6',
		);
		expect(refusal('\u0301a').message).toContain('U+0301 at 1');
	});

	test('names an emoji once', () => {
		expect(refusal('ok 👨‍👩‍👧 ok').message).toMatch(/: 👨‍👩‍👧 at 4$/);
	});

	test('names five and says how many more', () => {
		expect(refusal('çççççççç').message).toContain(
			'ç at 1, ç at 2, ç at 3, ç at 4, ç at 5 and 3 more',
		);
		expect(refusal('ççççç').message).not.toContain('more');
	});

	test('points to Replace', () => {
		expect(refusal('ç').description).toContain("'Unsupported Characters'");
	});

	test('knows the euro sign from the currency sign', () => {
		expect(prepareMessage('9 €', 'marketing', 'reject').text).toBe('9 €');
		expect(refusal('9 €').message).toContain('€ at 3');
	});
});

describe('replace', () => {
	test('gives the new text and what was replaced', () => {
		expect(prepareMessage('L’été 👋', 'notification', 'replace')).toEqual({
			text: "L'été",
			replacements: [
				{ character: '’', replacement: "'", count: 1 },
				{ character: '👋', replacement: '', count: 1 },
			],
		});
	});

	test('refuses letters that have no stand-in, without pointing to itself', () => {
		const { message, description } = refusal('Bonjour Жанна', 'replace');
		expect(message).toContain('Ж at 9');
		expect(description).not.toContain('Replace');
	});

	test('a text of which nothing is left', () => {
		expect(refusal('👋👋', 'replace').message).toBe(
			"'Message' has no character that the service accepts",
		);
	});
});

test('keep sends refused characters as they are', () => {
	expect(prepareMessage('Жанна’s ç 👋\u00a0', 'notification', 'keep')).toEqual({
		text: 'Жанна’s ç 👋\u00a0',
		replacements: [],
	});
});

describe('half of an emoji, in a text that was cut in the middle of it', () => {
	const cut = 'Merci 😀'.slice(0, -1);

	test('is dropped as the whole one would be, with replace', () => {
		expect(prepareMessage(cut, 'notification', 'replace').text).toBe('Merci');
	});

	test('is refused as the whole one would be, with reject', () => {
		const { message, description } = refusal(cut, 'reject');
		expect(message).toContain('U+D83D at 7');
		expect(description).toContain("'Unsupported Characters'");
	});

	test('is refused with keep: it would arrive as another character', () => {
		const { message, description } = refusal(cut, 'keep');
		expect(message).toBe("'Message' has half of an emoji or of another character");
		expect(description).toContain(".slice(0, 20).join('')");
		expect(prepareMessage('Merci 😀', 'notification', 'keep').text).toBe('Merci 😀');
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
	test('an object written into the text is refused', () => {
		const { message, description } = refusal('Bonjour [object Object] !', unsupported);
		expect(message).toBe("'Message' contains [object Object]");
		expect(description).toContain('Use one of its fields');
	});

	test.each(['{{ $json.name }}', '{{$json["a b"]}}', '{{ Prénom }}', '{{first_name}}'])(
		'%s as text is refused',
		(placeholder) => {
			const { message, description } = refusal(`Hello ${placeholder}!`, unsupported);
			expect(message).toContain("'Message' contains ");
			expect(message).toContain(' as text, so the recipient would read that');
			expect(description).toContain("switch 'Message' from Fixed to Expression");
		},
	);

	test.each([
		['', "'Message' is empty"],
		['   \n', "'Message' is empty"],
		['\u00a0', "'Message' is empty"],
		[null, "'Message' is empty"],
		[undefined, "'Message' is empty"],
		[{ text: 'Hello' }, "'Message' is an object, not a text"],
		[['Hello'], "'Message' is a list, not a text"],
		[true, '\'Message\' is "true", not a text'],
		[NaN, '\'Message\' is "NaN", not a text'],
	])('%j is refused', (value, message) => {
		const error = refusal(value, unsupported);
		expect(error.message).toBe(message);
		expect(error.description).toBeTruthy();
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

test('a lost letter is refused, unless it is to be kept', () => {
	for (const unsupported of ['replace', 'reject'] as const) {
		expect(() =>
			prepareMessage('Votre r\ufffdservation', 'notification', unsupported),
		).toThrowError('\ufffd at 8');
	}
	expect(prepareMessage('r\ufffds', 'notification', 'keep').text).toBe('r\ufffds');
});
