import type { Answer, Failure } from './failure';

/** An answer that is no success, as far as it is judged without its words. */
interface Seen {
	statusCode: number;
	/** The body is a web page. */
	isPage: boolean;
	/** The service names a time to wait. */
	namesWait: boolean;
}

/** In its texts, `{status}`, `{wait}` and `{target}` are filled in. */
interface Row extends Pick<Failure, 'status' | 'message' | 'advice' | 'cause'> {
	when: (seen: Seen) => boolean;
	/** By default, no. */
	transient?: true;
	general?: true;
}

const between =
	(from: number, to: number) =>
	({ statusCode }: Seen) =>
		statusCode >= from && statusCode <= to;
const oneOf =
	(...statuses: number[]) =>
	({ statusCode }: Seen) =>
		statuses.includes(statusCode);

const KEY_ADVICE =
	"Check 'API Key' and 'Header Name' of the credential. A new key is made in the account area of the service.";
const UNEXPECTED = {
	status: 'unknown',
	message: 'The service gave an answer that is not the expected one',
} as const;
const REDIRECT = {
	message: 'The service address leads elsewhere{target}',
	advice: "The API key is never sent to another address. Set 'Base URL' of the credential to the address that answers itself.",
	general: true,
	cause: 'configuration-invalid',
} as const;
const NO_USABLE_ANSWER = {
	status: 'unknown',
	message: 'The service gave no usable answer (HTTP {status})',
	advice: 'It may be overloaded or under repair. Try again later.',
	cause: 'temporarily-unavailable',
} as const;

/**
 * What an HTTP status says of a request, and tells the user. The first row that fits counts. *Refused* and
 * *not sent* are for what is certain.
 */
const ROWS: readonly Row[] = [
	{
		when: (seen) => between(200, 299)(seen) && seen.isPage,
		...UNEXPECTED,
		advice: "It is a web page. Check that 'Base URL' of the credential is the address of the API, not of a website or a proxy.",
	},
	{
		when: between(200, 299),
		...UNEXPECTED,
		advice: "It is incomplete or of another form. Check that 'Base URL' of the credential is the address of the API.",
	},
	{ when: oneOf(301, 307, 308), status: 'notSent', ...REDIRECT },
	// 302 and 303 can also be the answer to a request that was carried out (RFC 9110, 15.4).
	{ when: between(300, 399), status: 'unknown', ...REDIRECT },
	{
		when: oneOf(401),
		status: 'refused',
		message: 'The service refused the API key',
		advice: KEY_ADVICE,
		general: true,
		cause: 'credential-invalid',
	},
	// A firewall answers so to a single text that it dislikes, a gateway to every key that it doesn't know.
	{
		when: (seen) => oneOf(403)(seen) && seen.isPage,
		status: 'refused',
		message: 'A firewall in front of the service refused the request (HTTP 403)',
		advice: `It answers with a web page. It may dislike something in the text, such as a link. If it refuses everything: ${KEY_ADVICE}`,
	},
	{
		when: oneOf(403),
		status: 'refused',
		message: 'The service refused access (HTTP 403)',
		advice: KEY_ADVICE,
		cause: 'credential-invalid',
	},
	{
		when: oneOf(404, 405),
		status: 'refused',
		message: 'The service does not know this address (HTTP {status})',
		advice: "What was asked for may not exist, or 'Base URL' of the credential is not the address of the API.",
		cause: 'configuration-invalid',
	},
	{
		when: oneOf(429),
		status: 'notSent',
		message: 'The service takes no more requests for now (HTTP 429)',
		advice: "{wait} A lower 'Requests per Second' under Delivery Settings avoids this.",
		transient: true,
		general: true,
		cause: 'rate-limited',
	},
	{
		when: (seen) => oneOf(503)(seen) && seen.namesWait,
		status: 'notSent',
		message: 'The service is not available for now (HTTP 503)',
		advice: '{wait}',
		transient: true,
		general: true,
		cause: 'temporarily-unavailable',
	},
	// A server or a proxy gives up waiting: what it passed on may have been carried out.
	{ when: oneOf(408, 499), ...NO_USABLE_ANSWER, transient: true },
	{
		when: between(400, 499),
		status: 'refused',
		message: 'The service refused the request (HTTP {status})',
		advice: 'It gives no reason that could be read.',
	},
	{ when: between(500, Infinity), ...NO_USABLE_ANSWER, transient: true },
];
const ANYTHING_ELSE: Omit<Row, 'when'> = NO_USABLE_ANSWER;

/** What the HTTP status of an answer says, when its body is not what was asked for. */
export function judgeStatus({ statusCode, headers, body }: Answer): Failure {
	const retryAfterMs = parseRetryAfter(headers['retry-after']);
	const isPage = typeof body === 'string' && /^\s*</.test(body);
	const seen = { statusCode, isPage, namesWait: retryAfterMs !== undefined };
	const {
		status,
		message,
		advice,
		transient = false,
		general = false,
		cause,
	} = ROWS.find(({ when }) => when(seen)) ?? ANYTHING_ELSE;
	const values: Record<string, string> = {
		status: String(statusCode),
		wait: waitAdvice(retryAfterMs),
		target: redirectTarget(headers.location),
	};
	const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => values[name]);
	return {
		status,
		message: fill(message),
		advice: fill(advice),
		httpCode: statusCode,
		transient,
		general,
		cause,
		...(status === 'notSent' && transient ? { retryAfterMs } : {}),
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
	const time =
		retryAfterMs === A_DAY ? 'a day or longer' : `${Math.ceil(retryAfterMs / 1_000)} seconds`;
	return `It asks to wait ${time}. Try again after that.`;
}

/** Host only: a Location can repeat the query, and with it the key of a send by URL. */
function redirectTarget(location: unknown): string {
	try {
		return ` (to ${new URL(String(location)).host})`;
	} catch {
		return '';
	}
}
