import type { IDataObject } from 'n8n-workflow';
import { explain, isAboutPath, isRefusalCode, readServiceError } from '../service/errorCodes';

/** An answer of the service as n8n's request helper hands it over. */
export interface Answer {
	statusCode: number;
	headers: Record<string, unknown>;
	body: unknown;
}

/**
 * What became of a request that did not succeed.
 * - `refused`: the service said no. Nothing was done.
 * - `notSent`: it is certain that the service did not take the request.
 * - `unknown`: the request was written to the network and no answer was understood.
 */
export type FailureStatus = 'refused' | 'notSent' | 'unknown';

/** n8n's vocabulary for why something failed (`failure.cause` of its error classes). */
export type FailureCause =
	| 'rate-limited'
	| 'quota-exhausted'
	| 'temporarily-unavailable'
	| 'credential-invalid'
	| 'configuration-invalid';

/** A request that did not succeed, told so that a user knows what happened and what to do. */
export interface Failure {
	status: FailureStatus;
	message: string;
	advice: string;
	/** HTTP status of the answer, if there was one. */
	httpCode?: number;
	/** The service's error code, if it gave one. */
	code?: number;
	/** Another try may succeed, and may be made where a repetition does no harm. */
	transient: boolean;
	/** How long the service asks to wait. */
	retryAfterMs?: number;
	/** The whole account or service is concerned: other requests would fare no better. */
	general: boolean;
	cause?: FailureCause;
	/** It was not this try that failed: it says nothing about how the service is now. */
	isEarlier?: boolean;
	/** What a look at the service has shown since. */
	seen?: string;
	/** The service's own words, if it gave any and no code. */
	said?: string;
	/** What exists nevertheless, such as a list whose columns could not be added: shown to the user. */
	details?: IDataObject;
}

/** Reads the body of a successful answer; undefined when it isn't what the document says. */
export type Reader<T> = (body: unknown, answer: Answer) => T | undefined;

/**
 * Judges an answer: the one place that decides what is certain.
 *
 * Only what the interface document shows counts as success: a 2xx whose body is what this operation
 * answers with. *Refused* and *not sent* need evidence: an error code that the service is known to
 * refuse with, a 4xx, 429, 503 with Retry-After, a permanent redirect. Everything else leaves open what
 * happened: a proxy's or gateway's error, whatever JSON it holds, can come after the service has
 * accepted the request.
 */
export function judgeAnswer<T>(answer: Answer, read: Reader<T>): { value: T } | Failure {
	const { statusCode, body } = answer;
	const success = statusCode >= 200 && statusCode < 300;
	if (success) {
		const value = read(body, answer);
		if (value !== undefined) return { value };
	}
	const failure: Failure = { ...judgeStatus(answer), httpCode: statusCode };
	const said = readServiceError(body);
	if (said === undefined) return failure;

	const { message, advice, account, known } = explain(said);
	if (said.code === undefined || !known) {
		const { code, text } = said;
		if (failure.status === 'unknown') return failure;
		const isPlainRefusal = failure.status === 'refused' && failure.cause === undefined;
		const told = {
			...failure,
			...(code === undefined ? {} : { code }),
			...(code !== undefined && isPlainRefusal ? { message, advice } : {}),
		};
		if (told.message === message) return told;
		if (!text) return told;
		if (code === undefined && statusCode === 404 && !isAboutPath(text)) {
			return { ...notFound(text), said: text };
		}
		return { ...told, advice: `${failure.advice} The service says: ${text}`, said: text };
	}
	const isRefusal = isRefusalCode(said.code, statusCode);
	if (failure.status === 'unknown' && !isRefusal) return failure;
	const limited = statusCode === 429 || (statusCode === 503 && failure.status === 'notSent');
	if (limited && account === undefined) return { ...failure, code: said.code };
	return {
		status: 'refused',
		message,
		advice,
		httpCode: statusCode,
		code: said.code,
		transient: false,
		// A code that is about the message says more than the status that came with it.
		general: account !== undefined,
		cause:
			account === 'credential'
				? 'credential-invalid'
				: account !== undefined
					? 'quota-exhausted'
					: undefined,
	};
}

/** What to make of an answer of which a part makes no sense. */
export function unexpectedAnswer(body: unknown): Failure {
	return { ...judgeStatus({ statusCode: 200, headers: {}, body }), httpCode: 200 };
}

/** The service's codes for a message, a campaign and a list that it doesn't find (public facts). */
const NOT_FOUND_CODES: readonly number[] = [16, 47, 60];

/** Whether a failure says that what was asked for, or was to be deleted, isn't there. */
export function isNothingThere({ httpCode, code }: Failure): boolean {
	if (code !== undefined) return NOT_FOUND_CODES.includes(code);
	return httpCode === 404 || httpCode === 410;
}

function notFound(text: string): Failure {
	return {
		status: 'refused',
		message: 'The service did not find what was asked for (HTTP 404)',
		advice: `Check the number or the ID. The service says: ${text}`,
		httpCode: 404,
		transient: false,
		general: false,
	};
}

const KEY_ADVICE =
	"Check 'API Key' and 'Header Name' of the credential. A new key is made in the account area of the service.";

/** 4xx with which a server or a proxy gives up waiting: what it passed on may have been carried out. */
const GAVE_UP: ReadonlySet<number> = new Set([408, 499]);

function judgeStatus({ statusCode, headers, body }: Answer): Failure {
	const retryAfterMs = parseRetryAfter(headers['retry-after']);
	const base = { transient: false, general: false };
	if (statusCode >= 200 && statusCode < 300) {
		return {
			...base,
			status: 'unknown',
			message: 'The service gave an answer that is not the expected one',
			advice: looksLikeHtml(body)
				? "It is a web page. Check that 'Base URL' of the credential is the address of the API, not of a website or a proxy."
				: "It is incomplete or of another form. Check that 'Base URL' of the credential is the address of the API.",
		};
	}
	if (statusCode >= 300 && statusCode < 400) {
		return {
			...base,
			// 302 and 303 can also be the answer to a request that was carried out (RFC 9110, 15.4).
			status: [301, 307, 308].includes(statusCode) ? 'notSent' : 'unknown',
			message: `The service address leads elsewhere${redirectTarget(headers.location)}`,
			advice: "The API key is never sent to another address. Set 'Base URL' of the credential to the address that answers itself.",
			general: true,
			cause: 'configuration-invalid',
		};
	}
	if (statusCode === 401) {
		return {
			...base,
			status: 'refused',
			message: 'The service refused the API key',
			advice: KEY_ADVICE,
			general: true,
			cause: 'credential-invalid',
		};
	}
	if (statusCode === 403) {
		// A firewall answers so to a single text that it dislikes, a gateway to every key that it doesn't know.
		return looksLikeHtml(body)
			? {
					...base,
					status: 'refused',
					message: 'A firewall in front of the service refused the request (HTTP 403)',
					advice: `It answers with a web page. It may dislike something in the text, such as a link. If it refuses everything: ${KEY_ADVICE}`,
				}
			: {
					...base,
					status: 'refused',
					message: 'The service refused access (HTTP 403)',
					advice: KEY_ADVICE,
					cause: 'credential-invalid',
				};
	}
	if (statusCode === 404 || statusCode === 405) {
		return {
			...base,
			status: 'refused',
			message: `The service does not know this address (HTTP ${statusCode})`,
			advice: "What was asked for may not exist, or 'Base URL' of the credential is not the address of the API.",
			cause: 'configuration-invalid',
		};
	}
	if (statusCode === 429) {
		return {
			status: 'notSent',
			message: 'The service takes no more requests for now (HTTP 429)',
			advice: `${waitAdvice(retryAfterMs)} A lower 'Requests per Second' under Delivery Settings avoids this.`,
			transient: true,
			retryAfterMs,
			general: true,
			cause: 'rate-limited',
		};
	}
	if (statusCode === 503 && retryAfterMs !== undefined) {
		return {
			status: 'notSent',
			message: 'The service is not available for now (HTTP 503)',
			advice: waitAdvice(retryAfterMs),
			transient: true,
			retryAfterMs,
			general: true,
			cause: 'temporarily-unavailable',
		};
	}
	if (statusCode < 400 || statusCode >= 500 || GAVE_UP.has(statusCode)) {
		return {
			...base,
			status: 'unknown',
			message: `The service gave no usable answer (HTTP ${statusCode})`,
			advice: 'It may be overloaded or under repair. Try again later.',
			transient: statusCode >= 400,
			cause: 'temporarily-unavailable',
		};
	}
	return {
		...base,
		status: 'refused',
		message: `The service refused the request (HTTP ${statusCode})`,
		advice: 'It gives no reason that could be read.',
	};
}

/** Codes of a connection that was never made. */
const NEVER_CONNECTED: ReadonlyMap<string, string> = new Map([
	['ECONNREFUSED', 'The service refused the connection'],
	['ENOTFOUND', 'The host of the service was not found'],
	['EAI_AGAIN', 'The host of the service could not be looked up'],
]);
/** System calls before there is a connection. Others, such as a read, show that there was one. */
const CONNECTING: ReadonlySet<string> = new Set(['connect', 'getaddrinfo']);
/** Codes that mean the same where they come from connecting, and leave it open elsewhere. */
const CONNECTION_CODES: ReadonlySet<string> = new Set([
	'EHOSTUNREACH',
	'ENETUNREACH',
	'ENETDOWN',
	'EADDRNOTAVAIL',
	'ETIMEDOUT',
	'ECONNRESET',
]);
/** The certificate was refused, or there is no address: nothing was written. */
const TLS_CODE =
	/^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT|HOSTNAME_MISMATCH|ERR_INVALID_URL)/;
/**
 * The handshake came to nothing. After it, when the request may have been written, the same failures of
 * TLS have codes of their own instead of EPROTO.
 */
const NO_SECURE_CONNECTION =
	/^write EPROTO .*(wrong version number|unknown protocol|packet length too long|alert handshake failure)|before secure TLS connection was established/i;

/**
 * Judges an error that was thrown instead of an answer. Not sent is only what shows that nothing was
 * written to the network. An error of any other form, known or not, leaves open what happened: in
 * other versions of n8n the same failure comes in other forms.
 *
 * Texts name no code such as that of a reset connection: n8n replaces a text with one by its own,
 * which tells to retry at once.
 */
export function judgeError(error: unknown): Failure {
	const chain = unwrap(error);
	const input = chain.find((link) => link.name === 'InputError');
	if (input) {
		return {
			status: 'notSent',
			message: input.message ?? 'The request could not be made',
			advice: input.description ?? '',
			transient: false,
			general: true,
			cause: 'configuration-invalid',
		};
	}
	const codes = chain.flatMap(({ code, httpCode }) => [code, httpCode].filter(isText));
	const texts = chain.flatMap(({ message, messages = [] }) =>
		[message, ...messages].filter(isText),
	);
	const calls = chain.map(({ syscall }) => syscall).filter(isText);
	const hadConnection = calls.some((call) => !CONNECTING.has(call));
	const [never] = codes.map((code) => NEVER_CONNECTED.get(code)).filter(isText);
	if (never !== undefined && !hadConnection) return unreachable(never);

	const failedToConnect =
		calls.length > 0 ? !hadConnection : texts.some((text) => /^connect E/.test(text));
	if (failedToConnect && codes.some((code) => CONNECTION_CODES.has(code))) {
		return unreachable('The service could not be reached');
	}
	if (
		codes.some((code) => TLS_CODE.test(code)) ||
		texts.some((text) => NO_SECURE_CONNECTION.test(text))
	) {
		return {
			status: 'notSent',
			message: 'The connection to the service is not trusted',
			advice: "Check that 'Base URL' of the credential is right and that the service has a valid certificate.",
			transient: false,
			general: true,
			cause: 'configuration-invalid',
		};
	}
	const cancelled =
		codes.includes('ERR_CANCELED') ||
		chain.some(({ name }) => name === 'AbortError' || name === 'CanceledError');
	const timedOut = codes.some((code) => code === 'ECONNABORTED' || code === 'ETIMEDOUT');
	return {
		status: 'unknown',
		message: cancelled
			? 'The execution was cancelled while the service was answering'
			: timedOut
				? 'The service did not answer in time'
				: 'The connection to the service broke off',
		advice: 'Try again later.',
		transient: !cancelled,
		general: false,
		cause: cancelled ? undefined : 'temporarily-unavailable',
	};
}

function unreachable(message: string): Failure {
	return {
		status: 'notSent',
		message,
		advice: "Check 'Base URL' of the credential, and that n8n can reach the service.",
		transient: true,
		general: true,
		cause: 'temporarily-unavailable',
	};
}

/** The fields of an error that say something. */
interface ErrorLink {
	name?: string;
	message?: string;
	description?: string;
	code?: unknown;
	syscall?: string;
	/** n8n's own error puts the code here, or the status of an answer that began. */
	httpCode?: unknown;
	/** In n8n's own error: the original texts. n8n 1.x keeps nothing else of the original. */
	messages?: unknown[];
}

function isText(value: unknown): value is string {
	return typeof value === 'string';
}

/** The error, its causes, and the parts of an aggregate (one per address tried). */
function unwrap(error: unknown, depth = 0): ErrorLink[] {
	if (typeof error !== 'object' || error === null || depth > 5) return [];
	const { cause, errors } = error as { cause?: unknown; errors?: unknown };
	return [
		error as ErrorLink,
		...unwrap(cause, depth + 1),
		...(Array.isArray(errors) ? errors.flatMap((part) => unwrap(part, depth + 1)) : []),
	];
}

/** Milliseconds from a Retry-After header, in seconds or as a date (RFC 9110, 10.2.3). */
export function parseRetryAfter(header: unknown, now = Date.now()): number | undefined {
	if (typeof header !== 'string' && typeof header !== 'number') return undefined;
	const text = String(header).trim();
	if (/^\d+$/.test(text)) return Number(text) * 1000;
	const date = /[a-z]/i.test(text) ? Date.parse(text) : NaN;
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function waitAdvice(retryAfterMs: number | undefined): string {
	return retryAfterMs === undefined
		? 'Try again later.'
		: `It asks to wait ${Math.ceil(retryAfterMs / 1000)} seconds. Try again after that.`;
}

/** Host only: a Location can repeat the query, and with it the key of a send by URL. */
function redirectTarget(location: unknown): string {
	try {
		return ` (to ${new URL(String(location)).host})`;
	} catch {
		return '';
	}
}

function looksLikeHtml(body: unknown): boolean {
	return typeof body === 'string' && /^\s*</.test(body);
}
