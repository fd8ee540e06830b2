import { countOf } from '../service/countOf';
import type { Answer, Failure } from './failure';

/** In its texts, `{status}`, `{wait}` and `{target}` are filled in. */
interface Judgement extends Pick<Failure, 'status' | 'message' | 'advice' | 'cause'> {
	/** By default, no. */
	transient?: true;
	concernsAll?: true;
}

const KEY_ADVICE =
	"Copy the key again from the account area of the service into 'API Key' of the credential. If that doesn't help, create a new key, or check 'Header Name' in the credential.";
const UNEXPECTED = 'The service gave an unexpected answer';
const REDIRECT: Judgement = {
	status: 'unknown',
	message: 'The address of the service redirects elsewhere{target}',
	advice: "The API key is never sent to another address. If {origin} is right, enter it in 'Base URL' of the credential.",
	concernsAll: true,
	cause: 'configuration-invalid',
};
/** Advice for an address that the service does not know. */
export const CHECK_BASE_URL =
	"Check 'Base URL' of the credential: it usually ends with the host, as in https://sms.example.com.";
const UNKNOWN_ADDRESS: Judgement = {
	status: 'refused',
	message: 'The service does not know this address (HTTP {status})',
	advice: `${CHECK_BASE_URL} If it is right, your account doesn't have this operation, or what you chose no longer exists.`,
	cause: 'configuration-invalid',
};
const NO_USABLE_ANSWER: Judgement = {
	status: 'unknown',
	message: 'The service gave no usable answer (HTTP {status})',
	advice: 'It may be overloaded or under repair. Try again later.',
	transient: true,
	cause: 'temporarily-unavailable',
};

/**
 * Judgement and texts by status; "page" where the body is a web page, "wait" where the
 * service names a time to wait. *Refused* and *not sent* are certain. Any other status leaves open
 * what happened.
 */
const ROWS: Readonly<Record<string, Judgement>> = {
	'2xx page': {
		status: 'unknown',
		message: UNEXPECTED,
		advice: "The answer is a web page. Check that 'Base URL' of the credential is the address of the API, not of a website or a proxy.",
	},
	'2xx': {
		status: 'unknown',
		message: UNEXPECTED,
		advice: "The answer is incomplete or of another form. Check that 'Base URL' of the credential is the address of the API.",
	},
	301: { ...REDIRECT, status: 'notSent' },
	307: { ...REDIRECT, status: 'notSent' },
	308: { ...REDIRECT, status: 'notSent' },
	// 302 and 303 can also be the answer to a request that was carried out (RFC 9110, 15.4).
	'3xx': REDIRECT,
	401: {
		status: 'refused',
		message: 'The service refused the API key',
		advice: KEY_ADVICE,
		concernsAll: true,
		cause: 'credential-invalid',
	},
	// A firewall answers so to a single text that it dislikes, a gateway to every key that it doesn't know.
	'403 page': {
		status: 'refused',
		message: 'A firewall in front of the service refused the request (HTTP 403)',
		advice: `If it refuses only some messages, it may not like something in their text, such as a link. If it refuses every request: ${KEY_ADVICE}`,
	},
	403: {
		status: 'refused',
		message: 'The service refused access (HTTP 403)',
		advice: KEY_ADVICE,
		cause: 'credential-invalid',
	},
	404: UNKNOWN_ADDRESS,
	405: UNKNOWN_ADDRESS,
	407: {
		status: 'refused',
		message: 'The proxy wants another username or password (HTTP 407)',
		advice: "Check 'Proxy' in the settings of the node.",
		concernsAll: true,
		cause: 'configuration-invalid',
	},
	// A server or a proxy gives up waiting: what it passed on may have been carried out.
	408: NO_USABLE_ANSWER,
	499: NO_USABLE_ANSWER,
	429: {
		status: 'notSent',
		message: 'The service takes no more requests for now (HTTP 429)',
		advice: "{wait} If the operation has 'Requests per Second', add it under Options and begin with 10, or lower it.",
		transient: true,
		concernsAll: true,
		cause: 'rate-limited',
	},
	'4xx': {
		status: 'refused',
		message: 'The service refused the request (HTTP {status})',
		advice: "It didn't say why.",
	},
	'503 wait': {
		status: 'notSent',
		message: 'The service is not available for now (HTTP 503)',
		advice: '{wait}',
		transient: true,
		concernsAll: true,
		cause: 'temporarily-unavailable',
	},
};

/** Judges an answer by its HTTP status, when its body is no answer to the request. */
export function judgeStatus({ statusCode, headers, body }: Answer): Failure {
	const retryAfterMs = parseRetryAfter(headers['retry-after']);
	const traits = [
		...(typeof body === 'string' && /^\s*</.test(body) ? [' page'] : []),
		...(retryAfterMs === undefined ? [] : [' wait']),
		'',
	];
	const names = [String(statusCode), `${Math.floor(statusCode / 100)}xx`];
	const keys = names.flatMap((name) => traits.map((trait) => name + trait));
	const row = ROWS[keys.find((key) => key in ROWS) ?? ''] ?? NO_USABLE_ANSWER;
	const values: Record<string, string> = {
		status: String(statusCode),
		wait: waitAdvice(retryAfterMs),
		...redirectTarget(headers.location),
	};
	const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => values[name]);
	return {
		transient: false,
		concernsAll: false,
		...row,
		message: fill(row.message),
		advice: fill(row.advice),
		httpCode: statusCode,
		...(row.status === 'notSent' && row.transient ? { retryAfterMs } : {}),
	};
}

/** A date as HTTP writes it (RFC 9110, 5.6.7). V8 reads other texts with a number as dates of 2001. */
const HTTP_DATE = /^[A-Z][a-z]{2,8},? .*\d\d:\d\d:\d\d/;
/** Whatever is longer is too long to wait for. Milliseconds. */
const A_DAY = 86_400_000;

/** Milliseconds from a Retry-After header, in seconds or as a date (RFC 9110, 10.2.3); a day at most. */
export function parseRetryAfter(header: unknown, now = Date.now()): number | undefined {
	if (typeof header !== 'string' && typeof header !== 'number') return undefined;
	const text = String(header).trim();
	const wait = /^\d+$/.test(text)
		? Number(text) * 1_000
		: HTTP_DATE.test(text)
			? Date.parse(text) - now
			: NaN;
	return Number.isNaN(wait) ? undefined : Math.min(Math.max(0, wait), A_DAY);
}

function waitAdvice(retryAfterMs: number | undefined): string {
	if (retryAfterMs === undefined) return 'Try again later.';
	return `${askedWait(retryAfterMs)} Try again after that.`;
}

/** Of a service that has just been named. */
export function askedWait(retryAfterMs: number): string {
	const time =
		retryAfterMs === A_DAY
			? 'a day or longer'
			: countOf(Math.ceil(retryAfterMs / 1_000), 'second');
	return `It asks to wait ${time}.`;
}

/** Without its path: a Location can repeat the query, and with it the key of a send by URL. */
function redirectTarget(location: unknown): { target: string; origin: string } {
	try {
		const { host, origin } = new URL(String(location));
		return { target: ` (to ${host})`, origin };
	} catch {
		return { target: '', origin: 'that address' };
	}
}
