const MASK = '*****';
/** A shorter text is no key, and would be found in every other word. */
const SHORTEST = 4;

const HTML_ENTITIES: Readonly<Record<string, string>> = {
	'&': 'amp',
	'<': 'lt',
	'>': 'gt',
	'"': 'quot',
	"'": '(?:apos|#39|#x27)',
};

/** Takes the API key out of a text. */
export type Clean = (text: string) => string;

/**
 * A function that takes the API key out of texts: as it is sent, and with any of its characters written
 * as in a URL (`%21`, once or several times over), in JSON (`\u0021`) or in HTML (`&amp;`).
 *
 * @param key the credential's key; anything that can't be one leaves texts as they are
 */
export function cleanerOf(key: unknown): Clean {
	const secret = typeof key === 'string' ? key.trim() : '';
	if (secret.length < SHORTEST) return (text) => text;
	const pattern = new RegExp([...secret].map(anySpelling).join(''), 'g');
	return (text) => text.replace(pattern, MASK);
}

function anySpelling(character: string): string {
	const code = character.charCodeAt(0);
	const hex = [...code.toString(16).padStart(2, '0')]
		.map((digit) => (/[a-f]/.test(digit) ? `[${digit}${digit.toUpperCase()}]` : digit))
		.join('');
	const entity = HTML_ENTITIES[character];
	const spellings = [
		escapeForPattern(character),
		`%(?:25)*${hex}`,
		`\\\\+u00${hex}`,
		...(/["\\/]/.test(character) ? [`\\\\+${escapeForPattern(character)}`] : []),
		...(entity === undefined ? [] : [`&${entity};`]),
	];
	return `(?:${spellings.join('|')})`;
}

function escapeForPattern(character: string): string {
	return character.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
