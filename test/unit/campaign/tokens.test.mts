/** Tokens of a campaign's message: interface document 2.3 and 2.5. */
import { describe, expect, test } from 'vitest';
import {
	checkTokens,
	columnsFor,
	readTokens,
	referenceOf,
	replaceTokens,
	writeCampaignMessage,
} from '../../../nodes/SmsCampaign/tokens.ts';
import type { Column } from '../../../nodes/shared/service/lists.ts';

const column = (name: string, id = '5ea1b2c3d4e5f60718293a4b'): Column => ({
	id,
	name,
	type: 'STRING',
});

describe('the reference of a column', () => {
	test.each([
		// As shown in the document.
		['Nom de famille', 'nom_de_famille'],
		['Anniversaire', 'anniversaire'],
		['Inscrit', 'inscrit'],
		// A guess.
		['Prénom', 'prenom'],
		['N° client', 'n_client'],
		[' Cœur ', 'coeur'],
		['E-mail (pro)', 'e_mail_pro'],
	])('%s: %s', (name, reference) => {
		expect(referenceOf(column(name))).toBe(reference);
	});

	test('is the ID where that reads like the name, or the name has no letter', () => {
		expect(referenceOf(column('Prénom', 'pre_nom'))).toBe('pre_nom');
		expect(referenceOf(column('***', 'c7'))).toBe('c7');
	});
});

test('the tokens of a message: each once, without the link, or none', () => {
	expect(readTokens('10 $ {ok} $}', false)).toEqual([]);
	expect(readTokens('${a} ${b} ${a} ${rich_message} $c {d} $ {e}', true)).toEqual(['a', 'b']);
});

test('an error names the first twenty tokens that the list has, and how many more', () => {
	const columns = Array.from({ length: 25 }, (_, index) => column(`Column ${index}`));
	const description = expect.stringMatching(/\$\{column_0\}.*\$\{column_19\} and 5 more\./);
	expect(() => checkTokens(['a', 'b'], columns)).toThrow(
		expect.objectContaining({ description }),
	);
});

describe('the text with its tokens', () => {
	const prepare = (text: string, unsupported: 'reject' | 'replace' | 'keep') =>
		writeCampaignMessage(text, 'marketing', unsupported);

	test.each(['reject', 'replace', 'keep'] as const)('%s leaves tokens alone', (unsupported) => {
		const text = '${ç}${É’}a${} ${~~}${x y}';
		expect(prepare(text, unsupported)).toEqual({ text, replacements: [], refused: [] });
	});

	test('replace changes what is around them only', () => {
		expect(prepare('’${’}’', 'replace')).toEqual({
			text: "'${’}'",
			replacements: [{ character: '’', replacement: "'" }],
			refused: [],
		});
	});
});

test('what the service would refuse is told with its place, tokens counted as they are written', () => {
	const { text, refused } = writeCampaignMessage('${é} Ж', 'marketing', 'replace');
	expect(text).toBe('${é} Ж');
	expect(refused).toEqual([{ character: 'Ж', codePoint: 'U+0416', position: 6 }]);
});

test('of several columns, the one with the ID is meant', () => {
	const columns = [column('Prénom', 'a'), column('prenom', 'b'), column('Prenom', 'prenom')];
	expect(columnsFor('prenom', columns)).toEqual([columns[2]]);
});

test('tokens are replaced once, whatever the values are', () => {
	const values: Record<string, string> = { a: '${b} $& $1', b: 'B' };
	const fill = (token: string) => values[token] ?? '?';
	expect(replaceTokens('${a}-${b}-${a}-${c}', fill)).toBe('${b} $& $1-B-${b} $& $1-?');
});
