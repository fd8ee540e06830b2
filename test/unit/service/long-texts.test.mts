/**
 * Whatever a text holds, reading it takes a time that grows with its length and not with the square of it:
 * a message of 100 kB must not stop n8n. Where it grew with the square, these texts took 4 to 40 seconds.
 */
import { expect, test } from 'vitest';
import { readTokens, writeCampaignMessage } from '../../../nodes/SmsCampaign/tokens.ts';
import {
	findRefusedCharacters,
	replaceUnsupported,
} from '../../../nodes/shared/service/characters.ts';
import { writeColumnValue } from '../../../nodes/shared/service/columnValue.ts';
import { readMoment } from '../../../nodes/shared/service/date.ts';
import { InputError, requireText } from '../../../nodes/shared/service/InputError.ts';
import { prepareMessage, requireMessage } from '../../../nodes/shared/service/messageText.ts';
import { canonicalNumber, parseNumber } from '../../../nodes/shared/service/number.ts';
import { foreignPlaceholders } from '../../../nodes/shared/service/placeholders.ts';
import { countSegments } from '../../../nodes/shared/service/segments.ts';
import { parseSender } from '../../../nodes/shared/service/sender.ts';
import { unexpectedIn } from '../../../nodes/shared/service/unexpected.ts';
import { growsWithSize } from '../../harness/growth.mts';

const LENGTH = 100_000;

/** Repeated, each is at its worst for some rule of some reader. */
const PARTS = [
	...['1°', '1½', '‰', '😀 ', 'a😀', '😀\u200d', '🇫', '\ud83d', '\u0301\u0323', 'ﷺ', '\r\n'],
	...['(', '( 0 ', '((', '0', '1', '-', '+', '1/', '\u1100\u1161', ','],
	...['${', '${~', '{{', '%{', '[[', '<%', '%a', '{a', '[a ', '«a ', '$a'],
	...['a.', 'aa.aa/', 'a@', 'é@é.', 'www.', 'http://', 'a?b='],
	...['Ð—', 'É»', 'â€', '<a ', '2031-05-12T'],
];
const TEXTS: Array<(length: number) => string> = [
	...PARTS.map((part) => (length: number) => part.repeat(length / part.length)),
	(length) => `${' '.repeat(length)}x😀`,
	(length) => `😀${' '.repeat(length)}`,
	(length) => `^${'1'.repeat(length / 2)}${'²'.repeat(length / 2)}`,
];

const column = (type: 'STRING' | 'NUMBER' | 'BOOLEAN' | 'DATE') => ({ id: 'a', name: 'a', type });
const READERS: Record<string, (text: string) => unknown> = {
	replaceUnsupported: (text) => replaceUnsupported(text, 'marketing'),
	findRefusedCharacters: (text) => findRefusedCharacters(text, 'notification'),
	countSegments,
	'prepareMessage, replace': (text) =>
		prepareMessage(requireMessage(text), 'marketing', 'replace'),
	'prepareMessage, reject': (text) => prepareMessage(requireMessage(text), 'marketing', 'reject'),
	'prepareMessage, keep': (text) => prepareMessage(requireMessage(text), 'marketing', 'keep'),
	writeCampaignMessage: (text) =>
		writeCampaignMessage(requireMessage(text), 'marketing', 'replace'),
	readTokens: (text) => readTokens(text, false),
	parseNumber: (text) => parseNumber(text),
	'parseNumber of another country': (text) => parseNumber(text, { country: 'US' }),
	canonicalNumber,
	parseSender: (text) => parseSender(text),
	foreignPlaceholders,
	unexpectedIn,
	requireText: (text) => requireText(text, 'Category'),
	readMoment: (text) => readMoment(text, { timeZone: 'Europe/Paris' }),
	'a column of texts': (text) => writeColumnValue(column('STRING'), text, 'Europe/Paris'),
	'a column of numbers': (text) => writeColumnValue(column('NUMBER'), text, 'Europe/Paris'),
	'a column of booleans': (text) => writeColumnValue(column('BOOLEAN'), text, 'Europe/Paris'),
	'a column of dates': (text) => writeColumnValue(column('DATE'), text, 'Europe/Paris'),
};

test.each(Object.entries(READERS))('%s', (_, read) => {
	for (const textOf of TEXTS) {
		const readAll = (length: number) => {
			try {
				read(textOf(length));
			} catch (error) {
				expect(error).toBeInstanceOf(InputError);
			}
		};
		expect(growsWithSize(readAll, LENGTH), textOf(20)).toBe(true);
	}
});

test('a message longer than any is refused before its characters are looked at', () => {
	const refuse = (length: number) => {
		const text = '1°'.repeat(length / 2);
		expect(() => prepareMessage(requireMessage(text), 'notification', 'replace')).toThrowError(
			`has ${length.toLocaleString('en-US')} characters`,
		);
	};
	expect(growsWithSize(refuse, 10_000_000)).toBe(true);
});
