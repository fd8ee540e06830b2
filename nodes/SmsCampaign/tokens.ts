import type { MessageType } from '../shared/service/characters';
import { listOf } from '../shared/service/countOf';
import { InputError } from '../shared/service/InputError';
import { lettersOf, RICH_MESSAGE, tokenOf, type Column } from '../shared/service/lists';
import {
	writeFilledMessage,
	type UnsupportedCharacters,
	type WrittenMessage,
} from '../shared/service/messageText';
import { foreignPlaceholders } from '../shared/service/placeholders';

const TOKEN = /\$\{([^{}]*)\}/g;
/** A token whose content is hidden from the check of characters: the recipient never sees it. */
const MASK = /\$\{~*\}/g;
/** Tokens named in an error. */
const NAMED_TOKENS = 20;

/**
 * The text of a campaign as it is sent to the service, and the characters that the service would refuse. The content of
 * its tokens doesn't count as characters of the message and stays as it is.
 *
 * @param typed as `requireMessage` gives it
 * @throws InputError as `writeFilledMessage`
 */
export function writeCampaignMessage(
	typed: string,
	type: MessageType,
	unsupported: UnsupportedCharacters,
): WrittenMessage {
	const tokens = typed.match(TOKEN) ?? [];
	const masked = replaceTokens(typed, (token) => written('~'.repeat([...token].length)));
	const { text, ...message } = writeFilledMessage(masked, type, unsupported);
	// Where replacing has made one more of a text, one is left that no list has.
	return { ...message, text: text.replace(MASK, (mask) => tokens.shift() ?? mask) };
}

/**
 * The references to columns in a message, each once; `rich_message` is not one of them.
 *
 * @param hasLandingPage whether the campaign has a landing page, which needs `${rich_message}`
 * @throws InputError when that doesn't fit, or a token is not closed
 */
export function readTokens(message: string, hasLandingPage: boolean): string[] {
	if (message.replace(TOKEN, ' ').includes('${')) {
		throw new InputError(
			"'Message' has a ${ without a closing }",
			'Write tokens like ${first_name}.',
		);
	}
	const tokens = tokensIn(message);
	const hasLink = tokens.delete(RICH_MESSAGE);
	if (hasLink && !hasLandingPage) {
		throw new InputError(
			"'Message' has ${rich_message}, but the campaign has no landing page",
			"${rich_message} inserts the link to the landing page. Remove it, or choose a 'Landing Page'.",
		);
	}
	if (!hasLink && hasLandingPage) {
		throw new InputError(
			"'Message' has no ${rich_message}",
			"Write ${rich_message} where you want the link to the landing page, or set 'Landing Page' to None.",
		);
	}
	return [...tokens];
}

/** The same, and `rich_message`, of any text. */
export function tokensIn(message: string): Set<string> {
	return new Set([...message.matchAll(TOKEN)].map(([, content]) => content));
}

/** The token of a column: that of its name, or the column's ID where it has none, or reads like the name. */
export function referenceOf({ id, name }: Column): string {
	if (/^[a-z0-9_]+$/.test(id) && lettersOf(id) === lettersOf(name)) return id;
	return tokenOf(name) || id;
}

/** The columns that a token stands for: the one with that ID, else those with that reference. */
export function columnsFor(token: string, columns: readonly Column[]): Column[] {
	const byId = columns.filter(({ id }) => id === token);
	if (byId.length > 0) return byId;
	return columns.filter((column) => [referenceOf(column), tokenOf(column.name)].includes(token));
}

/**
 * Puts something in the place of each token of a message.
 *
 * @param message as `writeCampaignMessage` gives it
 */
export function replaceTokens(message: string, valueOf: (token: string) => string): string {
	return message.replace(TOKEN, (_, token: string) => valueOf(token));
}

/** @throws InputError for tokens that are no column's, naming those that the list has */
export function checkTokens(tokens: readonly string[], columns: readonly Column[]): void {
	const unknown = tokens.filter(
		(token) => token === '' || columnsFor(token, columns).length === 0,
	);
	if (unknown.length === 0) return;
	throw new InputError(
		`'Message' has ${unknown.map(written).join(', ')}, which the list doesn't have`,
		`${suggest(unknown.map(written), columns)}${describeColumns(columns)} Correct the message, choose another list, or add the column to the list.`,
	);
}

/** Columns that unknown tokens or placeholders are likely to mean: their letters are the same, apart from capitals and signs. */
function suggest(unknown: readonly string[], columns: readonly Column[]): string {
	const meant = unknown.flatMap((token) => {
		const letters = lettersOf(token);
		const column = columns.find(({ name }) => letters !== '' && lettersOf(name) === letters);
		if (column === undefined) return [];
		const instead = unknown.length > 1 ? ` instead of ${token}` : '';
		return [`${written(referenceOf(column))}${instead}`];
	});
	return meant.length === 0 ? '' : `Did you mean ${meant.join(' and ')}? `;
}

function describeColumns(columns: readonly Column[]): string {
	if (columns.length === 0) return 'The list has no columns.';
	const tokens = new Set(columns.map((column) => written(referenceOf(column))));
	return `The list has ${listOf([...tokens], NAMED_TOKENS)}.`;
}

/** A reference as it is written in a message. */
export function written(reference: string): string {
	return `\${${reference}}`;
}

/**
 * Placeholders of other systems, which recipients would read as they are: a sentence, empty for none.
 *
 * @param placeholders those that may be some
 */
export function describePlaceholders(
	placeholders: readonly string[],
	columns: readonly Column[],
): string {
	const isColumn = (name: string) =>
		columns.some((one) => lettersOf(one.name) === lettersOf(name));
	const found = placeholders.filter((one) => foreignPlaceholders(one, isColumn).length > 0);
	if (found.length === 0) return '';
	return `Recipients would read ${found.join(', ')} as it is. ${suggest(found, columns)}${describeColumns(columns)}`;
}
