import type { MessageType } from '../shared/service/characters';
import { InputError, requireText } from '../shared/service/InputError';
import type { Column } from '../shared/service/lists';
import {
	requireMessage,
	writeFilledMessage,
	type UnsupportedCharacters,
	type WrittenMessage,
} from '../shared/service/message';

/** Stands for the link to the landing page (interface document 2.5). */
export const RICH_MESSAGE = 'rich_message';
const TOKEN = /\$\{([^{}]*)\}/g;
/** A token whose content is hidden from the check of characters: the recipient never sees it. */
const MASK = /\$\{~*\}/g;
/** Tokens named in an error; the others are counted. */
const NAMED_TOKENS = 20;

/**
 * The text of a campaign as it is sent to the service, and what the service would refuse of it. The content of
 * its tokens doesn't count as characters of the message and stays as it is.
 *
 * @throws InputError as `writeFilledMessage`
 */
export function writeCampaignMessage(
	value: unknown,
	type: MessageType,
	unsupported: UnsupportedCharacters,
): WrittenMessage {
	const tokens: string[] = [];
	const masked = requireMessage(value).replace(TOKEN, (token, content: string) => {
		tokens.push(requireText(token, 'Message'));
		return `\${${'~'.repeat([...content].length)}}`;
	});
	const { text, ...written } = writeFilledMessage(masked, type, unsupported);
	if (text.match(MASK)?.length !== (tokens.length || undefined)) {
		throw new InputError(
			"'Message' has text that would turn into the token of a column",
			"With its characters replaced, it reads ${name}. Rewrite it, or set 'Unsupported Characters' under Options to Reject or Keep.",
		);
	}
	return { ...written, text: text.replace(MASK, () => tokens.shift()!) };
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
	const tokens = new Set([...message.matchAll(TOKEN)].map(([, content]) => content));
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

/**
 * The reference of a column for use in a message (interface document 2.3): its name in lowercase with
 * underscores for spaces. For other characters the rule is not shown: accents go, and the rest become
 * underscores, unless the column's ID reads like its name and so is the reference.
 */
export function referenceOf({ id, name }: Column): string {
	if (/^[a-z0-9_]+$/.test(id) && lettersOf(id) === lettersOf(name)) return id;
	return derive(name) || id;
}

/**
 * Whether a token stands for this column. Where the rule is shown, it has to be kept to the letter;
 * where it isn't, any lowercase spelling of the name's letters will do.
 */
export function standsFor(token: string, column: Column): boolean {
	const { id, name } = column;
	if (token === '') return false;
	if (token === id || token === referenceOf(column) || token === derive(name)) return true;
	if (/^[A-Za-z0-9]+( [A-Za-z0-9]+)*$/.test(name)) return false;
	if (token !== token.toLowerCase() || /\s/.test(token)) return false;
	const letters = lettersOf(token);
	return (
		letters !== '' &&
		[lettersOf(name), lettersOf(name.replace(/[^\x20-\x7e]/g, ''))].includes(letters)
	);
}

/** The columns that a token can stand for: those that it names exactly, else those that it is likely to mean. */
export function columnsFor(token: string, columns: readonly Column[]): Column[] {
	const ways: Array<(column: Column) => boolean> = [
		({ id }) => id === token,
		(column) => referenceOf(column) === token,
		(column) => standsFor(token, column),
	];
	return ways.map((isMeant) => columns.filter(isMeant)).find(({ length }) => length > 0) ?? [];
}

/**
 * Puts something in the place of each token of a message.
 *
 * @param message as `writeCampaignMessage` gives it
 */
export function replaceTokens(message: string, valueOf: (token: string) => string): string {
	return message.replace(TOKEN, (_, token: string) => valueOf(token));
}

/**
 * Checks the tokens of a message against the columns of its list.
 *
 * @param tokens what stands between ${ and }
 * @param required columns that the message has to use: by token, ID or name
 * @throws InputError naming the tokens that the list has
 */
export function checkTokens(
	tokens: readonly string[],
	required: readonly string[],
	columns: readonly Column[],
): void {
	const unknown = tokens.filter((token) => !columns.some((column) => standsFor(token, column)));
	if (unknown.length > 0) {
		throw new InputError(
			`'Message' has ${unknown.map(written).join(', ')}, which the list doesn't have`,
			`${suggest(unknown, columns)}${describeColumns(columns)} Correct the message, choose another list, or add the column to the list. If you are sure that the service supports this token, turn off 'Check Tokens' under Options.`,
		);
	}
	for (const wanted of required) {
		const reference = wanted.trim().replace(/^\$\{(.*)\}$/, '$1');
		const column = columns.find(
			(candidate) => candidate.name === reference || standsFor(reference, candidate),
		);
		if (column === undefined) {
			throw new InputError(
				`'Required Column Names or IDs' has ${reference}, which the list doesn't have`,
				`${describeColumns(columns)} Choose the columns again.`,
			);
		}
		if (!tokens.some((token) => standsFor(token, column))) {
			const token = written(referenceOf(column));
			throw new InputError(
				`'Message' doesn't use the column ${column.name}`,
				`The column is chosen in 'Required Column Names or IDs'. Add ${token} to the message, or remove the column there.`,
			);
		}
	}
}

/** Columns that unknown tokens are likely to mean: their letters are the same, apart from accents and capitals. */
function suggest(unknown: readonly string[], columns: readonly Column[]): string {
	const meant = unknown.flatMap((token) => {
		const letters = lettersOf(token);
		const column = columns.find(({ name }) => letters !== '' && lettersOf(name) === letters);
		if (column === undefined) return [];
		const instead = unknown.length > 1 ? ` instead of ${written(token)}` : '';
		return [`${written(referenceOf(column))}${instead}`];
	});
	return meant.length === 0 ? '' : `Did you mean ${meant.join(' and ')}? `;
}

function describeColumns(columns: readonly Column[]): string {
	if (columns.length === 0) return 'The list has no columns.';
	const tokens = [...new Set(columns.map((column) => written(referenceOf(column))))];
	const more = tokens.length - NAMED_TOKENS;
	const named = tokens.slice(0, NAMED_TOKENS).join(', ');
	return `The list has ${named}${more > 0 ? ` and ${more} more` : ''}.`;
}

/** A reference as it is written in a message. */
export function written(reference: string): string {
	return `\${${reference}}`;
}

function derive(name: string): string {
	return plain(name)
		.replace(/[^\p{L}\p{N}]+/gu, '_')
		.replace(/^_+|_+$/g, '');
}

function lettersOf(text: string): string {
	return plain(text).replace(/[^\p{L}\p{N}]/gu, '');
}

function plain(text: string): string {
	return text
		.toLowerCase()
		.replaceAll('œ', 'oe')
		.replaceAll('æ', 'ae')
		.normalize('NFD')
		.replace(/\p{M}/gu, '');
}
