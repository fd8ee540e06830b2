import { asObject } from './answers';
import type { PathValues } from './endpoint';
import { oneLine } from './InputError';

/**
 * Meaning of an error code or an HTTP status to an operation that handles it, and to a run. A code
 * that only has to be shown to the user has no meaning of its own.
 */
export type Meaning =
	| 'unreadableNumber'
	| 'alreadyExists'
	| 'nothingFound'
	| 'campaignNotFound'
	| 'listNotFound'
	| 'nameForId'
	// The whole account is concerned: the next request would fare no better.
	| 'noAccess'
	| 'noCredit'
	| 'quotaUsedUp'
	/** The recipient wants no messages: there is nothing to put right. */
	| 'unsubscribed'
	/** "Unknown error": the service itself doesn't know what happened. */
	| 'unknownError'
	// Meanings of an HTTP status without a code.
	/** 404 without a word: the thing or the path doesn't exist. */
	| 'missing'
	| 'noSuchPath'
	| 'noSuchMethod'
	| 'gone';

/** Texts of one of the service's error codes. Source: public facts ("Errors"), extended. */
export interface ErrorCode {
	/** The problem. */
	message: string;
	/** The way out of it. */
	advice: string;
	means?: Meaning;
	/** The value of the request's path that it is about. */
	about?: 'listId' | 'campaignId';
}

const NUMBER_ADVICE =
	"Check 'Phone Number'. You can write it with its country code, like +33 6 12 34 56 78.";
const SENDER_ADVICE =
	"A sender has 3 to 11 letters and digits, at least one of them a letter. Check 'Sender', or leave it empty.";
const ACCOUNT_ADVICE = 'Sign in to the account area of the service, or ask its support.';

const CODES: Readonly<Record<number, ErrorCode>> = {
	10: { message: 'No phone number was given', advice: NUMBER_ADVICE },
	11: {
		message: 'The phone number is not valid',
		advice: NUMBER_ADVICE,
		means: 'unreadableNumber',
	},
	12: {
		message: 'The recipient has unsubscribed (STOP)',
		advice: "The recipient doesn't want any more messages. Leave this number out. 'Skip Blacklisted Numbers', a safeguard of Send SMS and Send SMS in Batch, leaves all such numbers out.",
		means: 'unsubscribed',
	},
	13: {
		message: "The number is on the account's bounce list",
		advice: 'An earlier message found the number unassigned. Correct it, or remove it from the list with SMS Blacklist if it is valid again.',
	},
	14: {
		message: 'The number is on the bounce list of the service',
		advice: 'The service knows this number as unassigned. Correct it in your data.',
	},
	15: {
		message: 'The number already exists',
		advice: "Nothing was changed. To continue without an error, set 'If Contact Exists' to Keep.",
		means: 'alreadyExists',
	},
	16: {
		message: 'No message was found',
		advice: 'Check the number or the snapshot ID.',
		means: 'nothingFound',
	},
	17: { message: 'Too many fields were selected', advice: 'Use fewer columns.' },
	18: { message: 'The data is too large', advice: 'Send it in smaller parts.' },
	19: {
		message: 'The number is a fixed line',
		advice: 'Only mobile numbers can get SMS. Use a mobile number.',
	},
	20: { message: 'The sender has characters that are not allowed', advice: SENDER_ADVICE },
	21: { message: 'The sender is too short', advice: SENDER_ADVICE },
	22: { message: 'The sender is too long', advice: SENDER_ADVICE },
	23: { message: 'The sender has digits only', advice: SENDER_ADVICE },
	30: { message: 'The message has no text', advice: "Fill in 'Message'." },
	31: {
		message: 'The message has characters that the service refuses',
		advice: "Set 'Unsupported Characters' under Options to Replace, or remove the characters.",
	},
	32: {
		message: 'The message is too long',
		advice: 'Shorten the text. Preview SMS counts its segments.',
	},
	40: { message: 'The campaign name is not valid', advice: 'Choose another name.' },
	41: { message: 'The time of the campaign is not valid', advice: "Check 'Send At'." },
	42: { message: 'The campaign cannot be deleted', advice: 'It may have been sent already.' },
	43: { message: 'The campaign cannot be cancelled', advice: 'It may have been sent already.' },
	44: {
		message: "The account's limit of campaigns in free mode is reached",
		advice: ACCOUNT_ADVICE,
		means: 'quotaUsedUp',
	},
	45: {
		message: 'The campaign tag is not valid',
		advice: "Check 'Category' and 'Campaign Name'.",
	},
	46: {
		message: 'The campaign tag already exists',
		advice: "Choose another 'Category' or 'Campaign Name'.",
	},
	47: {
		message: 'The campaign was not found',
		advice: "Check the campaign ID, and 'Campaign Type' if the form has it: the campaign is found only with the type that it was created with.",
		means: 'campaignNotFound',
		about: 'campaignId',
	},
	48: {
		message: 'The list of recipients of the campaign is not valid',
		advice: "Check the ID of the list, or choose it in 'List'.",
	},
	60: {
		message: 'The list was not found',
		advice: 'Check its ID, or choose another list: this one may have been deleted.',
		means: 'listNotFound',
		about: 'listId',
	},
	61: {
		message: 'A date has the wrong format',
		advice: 'Enter dates in the format of the column.',
	},
	62: { message: 'The scheduled date is not valid', advice: "Check 'Send At'." },
	70: {
		message: 'Access to the API is disabled for this account',
		advice: `Have API access turned on. ${ACCOUNT_ADVICE}`,
		means: 'noAccess',
	},
	71: {
		message: 'The account does not have enough credits',
		advice: 'Buy credits in the account area of the service.',
		means: 'noCredit',
	},
	72: {
		message: 'The service refused the API key',
		advice: "Copy the key again from the account area of the service into 'API Key' of the credential, or create a new one there. If that doesn't help, check 'Header Name' in the credential.",
		means: 'noAccess',
	},
	73: {
		message: 'The service could not read the request',
		advice: 'Please report this to the maintainers of the node.',
	},
	74: {
		message: 'The limit of contacts in one request is reached',
		advice: 'Send fewer contacts at a time.',
	},
	75: {
		message: 'The column with the phone numbers was not found',
		advice: 'Check the columns of the import.',
	},
	76: {
		message: 'The quota of the account is used up',
		advice: ACCOUNT_ADVICE,
		means: 'quotaUsedUp',
	},
	90: {
		message: 'The country of the number is not supported',
		advice: 'Only send to numbers of other countries.',
	},
	91: {
		message: 'The number needs the international mode of the account',
		advice: `Have it turned on. ${ACCOUNT_ADVICE}`,
	},
	92: { message: 'The account is blocked', advice: ACCOUNT_ADVICE, means: 'noAccess' },
	93: {
		message: 'The user of the API key was not found',
		advice: ACCOUNT_ADVICE,
		means: 'noAccess',
	},
	94: {
		message: 'The information about the user is unavailable',
		advice: ACCOUNT_ADVICE,
		means: 'noAccess',
	},
	95: { message: 'The account was not created', advice: ACCOUNT_ADVICE, means: 'noAccess' },
	120: {
		message: 'The campaign of the automated sending is not valid',
		advice: 'Check the campaign.',
	},
	121: {
		message: 'The contact of the automated sending is not valid',
		advice: 'Check the contact.',
	},
	1000: {
		message: 'The service reports an unknown condition',
		advice: 'Try again later, or ask its support.',
		means: 'unknownError',
	},
};

/** Codes about a phone number or a text, whatever else a message has, such as its sender or date. */
const ABOUT_NUMBER_OR_TEXT: readonly unknown[] = [10, 11, 12, 13, 14, 19, 30, 31, 32, 90, 91];

/** Whether another message with the same number and text would be refused as well. */
export function isAboutNumberOrText({ code }: { code?: number }): boolean {
	return ABOUT_NUMBER_OR_TEXT.includes(code);
}

/** The service's own words about a failure, as far as the body of an answer holds them. */
export interface ServiceError {
	/** Undefined for the body shape `{status, error}`, which has no code. */
	code?: number;
	/** The text of the service, shortened. */
	text?: string;
}

/**
 * Reads an error body leniently: `code` as a number or a numeric string, the text under `error` or
 * `message`. Undefined when the body is not the service's (HTML of a proxy, an empty body).
 */
export function readServiceError(body: unknown): ServiceError | undefined {
	const { code, error, message, status } = asObject(body) ?? {};
	const number =
		typeof code === 'number' || (typeof code === 'string' && /^\d+$/.test(code))
			? Number(code)
			: undefined;
	const said = [error, message].find((text) => typeof text === 'string' && text.trim() !== '');
	const text = said === undefined ? undefined : shorten(oneLine(said as string).trim());
	if (number !== undefined) return { code: number, text };
	return status !== undefined && text !== undefined ? { text } : undefined;
}

const LONGEST_TEXT = 200;

/** Cuts a text between words. */
function shorten(text: string): string {
	return text.length <= LONGEST_TEXT
		? text
		: `${text.slice(0, LONGEST_TEXT - 1).replace(/(?<!\S)\S+$/, '')}…`;
}

/**
 * The problem and the way out of it; a code that is not listed (`known` is false) comes with the service's
 * own text.
 *
 * @param path of the request, for the ID of what was not found
 */
export function explain(
	{ code, text }: ServiceError,
	path: PathValues = {},
): ErrorCode & { known: boolean } {
	const listed = code === undefined ? undefined : CODES[code];
	if (listed) {
		const id = listed.about && path[listed.about];
		const which = id === undefined ? '' : ` (ID ${id})`;
		return { ...listed, message: `${listed.message}${which}`, known: true };
	}
	return {
		known: false,
		message: `The service refused the request${code === undefined ? '' : ` (code ${code})`}`,
		advice: text ? `It says: ${text}` : 'It gives no reason. Ask its support.',
	};
}

/**
 * Whether an error code in the body of an answer shows that the service said no: it is one of those
 * that it is known to refuse with, and no repetition of the HTTP status by a gateway.
 */
export function isRefusalCode(code: number, statusCode: number): boolean {
	const listed = CODES[code];
	return listed !== undefined && listed.means !== 'unknownError' && code !== statusCode;
}

/** Kinds of "nothing" that a failure can mean. */
interface Said {
	httpCode?: number;
	/** The service's error code. */
	code?: number;
	/** Its words where it gave no code. */
	said?: string;
	/** Something has the ID that was asked for as its name. */
	isName?: true;
}

const STATUSES: Readonly<Record<number, Meaning>> = { 405: 'noSuchMethod', 410: 'gone' };

/** The meaning of a failure, by its error code, or else by its HTTP status; undefined for anything else. */
export function meaningOf({ httpCode, code, said, isName }: Said): Meaning | undefined {
	if (isName) return 'nameForId';
	// A code that repeats the HTTP status is a gateway's, and says no more than that.
	if (code !== undefined && code !== httpCode) return CODES[code]?.means;
	if (httpCode !== 404) return httpCode === undefined ? undefined : STATUSES[httpCode];
	if (said === undefined) return 'missing';
	return isAboutPath(said) ? 'noSuchPath' : 'nothingFound';
}

/**
 * Whether a text of a server is about the path of a request, which it doesn't have, rather than about
 * a contact or a list that it doesn't find.
 */
function isAboutPath(text: string): boolean {
	return (
		/^(not found|method not allowed)\W*$/i.test(text) ||
		/\b(path|url|uri|route|resource|handler|mapping|endpoint|method|page)\b/i.test(text)
	);
}

function isOneOf(...meanings: Meaning[]): (failure: Said) => boolean {
	return (failure) => {
		const meaning = meaningOf(failure);
		return meaning !== undefined && meanings.includes(meaning);
	};
}

/**
 * Whether a failure says that there is nothing of what was asked for: code 16, or a 404 about the thing
 * and not about the path, which tells of no thing at all.
 */
export const isNothingFound = isOneOf('nothingFound');

/** Whether a failure says that what was looked up doesn't exist. */
export const isNotFound = isOneOf('nothingFound', 'campaignNotFound', 'listNotFound');

/** Whether a failure says that what was to be added is there already. */
export const isAlreadyThere = isOneOf('alreadyExists');

/** Whether nothing helps but the ID of another campaign. */
export const isNoCampaign = isOneOf('campaignNotFound', 'nameForId');

/** Whether a failure says that the list is not there. */
export const isListMissing = isOneOf('listNotFound', 'nothingFound');

/** Whether a failure may say that there is no such path. */
export const isMissingPath = isOneOf('missing', 'noSuchPath', 'noSuchMethod');

/** Whether what was to be deleted isn't there, where an earlier try has shown that the path exists. */
export const isNothingThere = isOneOf(
	'nothingFound',
	'campaignNotFound',
	'listNotFound',
	'missing',
	'noSuchPath',
	'gone',
);
