import type { IDataObject } from 'n8n-workflow';
import { explain, isAboutPath, readServiceError } from '../service/errorCodes';
import { InputError } from '../service/InputError';

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
	/** The service's own words, if it gave any and no code. */
	said?: string;
	/** What exists nevertheless, such as a list whose columns could not be added: shown to the user. */
	details?: IDataObject;
}

/** Reads the body of a successful answer; undefined when it isn't what the document says. */
export type Reader<T> = (body: unknown, answer: Answer) => T | undefined;

/**
 * Judges an answer.
 *
 * Only what the interface document shows counts as success: a 2xx whose body is what this operation
 * answers with. A 2xx that carries an error code is a refusal; a 2xx of any other kind, and a 5xx
 * without a code of the service, leave open what happened.
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
	if (said === undefined || (said.code === undefined && (success || statusCode >= 500)))
		return failure;

	const { message, advice, account, known } = explain(said);
	if (said.code === undefined) {
		const { text } = said;
		if (!text) return failure;
		if (statusCode === 404 && !isAboutPath(text)) return { ...notFound(text), said: text };
		return { ...failure, advice: `${failure.advice} The service says: ${text}`, said: text };
	}
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
		general: account !== undefined || (!known && failure.general),
		cause:
			account === 'credential'
				? 'credential-invalid'
				: account !== undefined
					? 'quota-exhausted'
					: known
						? undefined
						: failure.cause,
	};
}

/** What to make of an answer of which a part makes no sense. */
export function unexpectedAnswer(body: unknown): Failure {
	return { ...judgeStatus({ statusCode: 200, headers: {}, body }), httpCode: 200 };
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
	if ([301, 302, 307, 308].includes(statusCode)) {
		return {
			...base,
			status: 'notSent',
			message: `The service address leads elsewhere${redirectTarget(headers.location)}`,
			advice: "The API key is never sent to another address. Set 'Base URL' of the credential to the address that answers itself.",
			general: true,
			cause: 'configuration-invalid',
		};
	}
	if (statusCode === 401 || statusCode === 403) {
		return {
			...base,
			status: 'refused',
			message: 'The service refused the API key',
			advice: "Check 'API Key' and 'Header Name' of the credential. A new key is made in the account area of the service.",
			general: true,
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
			advice: `${waitAdvice(retryAfterMs)} A lower 'Requests per Second' under Options avoids this.`,
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
	if (statusCode === 408 || statusCode >= 500 || statusCode < 400) {
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

const REFUSED_BEFORE_SENDING: Readonly<Record<string, string>> = {
	ECONNREFUSED: 'The service refused the connection',
	ENOTFOUND: 'The host of the service was not found',
	EAI_AGAIN: 'The host of the service could not be looked up',
};
const CONNECTION_CODES = new Set([
	'EHOSTUNREACH',
	'ENETUNREACH',
	'ENETDOWN',
	'EADDRNOTAVAIL',
	'ETIMEDOUT',
	'ECONNRESET',
]);
const TLS_CODE =
	/^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT|ERR_SSL_WRONG_VERSION|HOSTNAME_MISMATCH|EPROTO$)/;

/**
 * Judges an error that was thrown instead of an answer. What failed before anything was written to
 * the network is certainly not sent; everything else is unknown.
 */
export function judgeError(error: unknown): Failure {
	const chain = unwrap(error);
	const input = chain.find((link) => link.name === 'InputError') as InputError | undefined;
	if (input) {
		return {
			status: 'notSent',
			message: input.message,
			advice: input.description ?? '',
			transient: false,
			general: true,
			cause: 'configuration-invalid',
		};
	}
	const codes = chain.map((link) => link.code).filter((code) => typeof code === 'string');
	const refused = codes.find((code) => code in REFUSED_BEFORE_SENDING);
	if (refused !== undefined) return unreachable(REFUSED_BEFORE_SENDING[refused], refused);

	const connecting = chain.filter((link) => link.syscall !== undefined);
	if (connecting.length > 0 && connecting.every((link) => link.syscall === 'connect')) {
		const code = codes.find((candidate) => CONNECTION_CODES.has(candidate));
		if (code !== undefined) return unreachable('The service could not be reached', code);
	}
	const tls = codes.find((code) => TLS_CODE.test(code));
	if (tls !== undefined) {
		return {
			status: 'notSent',
			message: `The connection to the service is not trusted (${tls})`,
			advice: "Check that 'Base URL' of the credential is right and that the service has a valid certificate.",
			transient: false,
			general: true,
			cause: 'configuration-invalid',
		};
	}
	if (!chain.some((link) => link.isAxiosError === true || typeof link.code === 'string')) {
		// n8n's request helper gave up before it made a request: no credential, a domain that is not allowed.
		return {
			status: 'notSent',
			message: chain[0]?.message || 'The request could not be made',
			advice:
				chain.find((link) => link.description)?.description ??
				'Check the credential of the node.',
			transient: false,
			general: true,
			cause: 'configuration-invalid',
		};
	}
	const cancelled = codes.includes('ERR_CANCELED');
	const timedOut = codes.some((code) => code === 'ECONNABORTED' || code === 'ETIMEDOUT');
	return {
		status: 'unknown',
		message: cancelled
			? 'The execution was cancelled while the service was answering'
			: timedOut
				? 'The service did not answer in time'
				: `The connection to the service broke off${codes[0] ? ` (${codes[0]})` : ''}`,
		advice: 'Try again later.',
		transient: !cancelled,
		general: false,
		cause: cancelled ? undefined : 'temporarily-unavailable',
	};
}

function unreachable(message: string, code: string): Failure {
	return {
		status: 'notSent',
		message: `${message} (${code})`,
		advice: "Check 'Base URL' of the credential, and that n8n can reach the service.",
		transient: true,
		general: true,
		cause: 'temporarily-unavailable',
	};
}

interface ErrorLink {
	name?: string;
	message?: string;
	description?: string;
	code?: string;
	syscall?: string;
	isAxiosError?: boolean;
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
