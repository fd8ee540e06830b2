import {
	explain,
	isRefusalCode,
	meaningOf,
	readServiceError,
	type Meaning,
	type ServiceError,
} from '../service/errorCodes';
import type { PathValues } from '../service/endpoint';
import type { Answer, Failure, FailureCause, Reader } from './failure';
import { judgeStatus } from './statuses';

/** Meanings that concern the whole account: other requests would fare no better. In n8n's words. */
const ACCOUNT_CAUSES: Partial<Record<Meaning, FailureCause>> = {
	noAccess: 'credential-invalid',
	noCredit: 'quota-exhausted',
	quotaUsedUp: 'quota-exhausted',
};

/**
 * Judges an answer: the one place that decides what is certain.
 *
 * Only what the interface document shows counts as success: a 2xx whose body is what this operation
 * answers with. *Refused* and *not sent* need evidence: an error code that the service is known to
 * refuse with, a 4xx, 429, 503 with Retry-After, a permanent redirect. Everything else leaves open what
 * happened: a proxy's or gateway's error, whatever JSON it holds, can come after the service has
 * accepted the request.
 *
 * @param path of the request, for the ID of what was not found
 */
export async function judgeAnswer<T>(
	answer: Answer,
	read: Reader<T>,
	path?: PathValues,
): Promise<{ value: T } | Failure> {
	const { statusCode, body } = answer;
	const isSuccess = statusCode >= 200 && statusCode < 300;
	const value = isSuccess ? await read(body, answer) : undefined;
	if (value !== undefined) return { value };
	const said = readServiceError(body);
	const byStatus = judgeStatus(answer);
	return said === undefined ? byStatus : withWords(byStatus, statusCode, said, path);
}

/** Adds the service's own words to the judgement by the HTTP status. The first rule that holds counts. */
function withWords(
	byStatus: Failure,
	httpCode: number,
	{ code, text }: ServiceError,
	path?: PathValues,
): Failure {
	const isEvidence = code !== undefined && isRefusalCode(code, httpCode);
	if (byStatus.status === 'unknown' && !isEvidence) return byStatus;

	const { known, message, advice, means } = explain({ code, text }, path);
	const failure = code === undefined ? byStatus : { ...byStatus, code };
	if (known) {
		const cause = means && ACCOUNT_CAUSES[means];
		// A matter of pace stays one, unless the account can't go on at all.
		if (byStatus.status === 'notSent' && byStatus.transient && !cause) return failure;
		// A code that is about the message says more than the status that came with it.
		const traits = { transient: false, concernsAll: cause !== undefined, cause };
		return { status: 'refused', message, advice, httpCode, code, ...traits };
	}
	if (code !== undefined && byStatus.cause === undefined) {
		return { ...failure, message, advice };
	}
	if (text === undefined) return failure;
	if (meaningOf({ httpCode, code, said: text }) === 'nothingFound') {
		return {
			...failure,
			message: 'The service did not find what was asked for (HTTP 404)',
			advice: `Check the number or the ID. The service says: ${text}`,
			said: text,
			cause: undefined,
		};
	}
	return { ...failure, advice: `${failure.advice} The service says: ${text}`, said: text };
}

/** Codes of a connection that was never made. */
const NEVER_CONNECTED: ReadonlyMap<string, string> = new Map([
	['ECONNREFUSED', 'The service refused the connection'],
	['ENOTFOUND', 'The host of the service was not found'],
	['EAI_AGAIN', 'The host of the service could not be looked up'],
]);
/** System calls before there is a connection. Others, such as a read, show that there was one. */
const CONNECTING = /^(connect|getaddrinfo)$/;
/** Codes that mean the same where they come from connecting, and leave it open elsewhere. */
const CONNECTION_CODE = /^(EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|ETIMEDOUT|ECONNRESET)$/;
/** The certificate was refused, or there is no address: nothing was written. */
const TLS_CODE =
	/^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT|HOSTNAME_MISMATCH|ERR_INVALID_URL)/;
/** Codes of a certificate that no known authority has signed. */
const SELF_SIGNED = /SELF_SIGNED|^UNABLE_TO_/;
/**
 * The handshake failed. After it, when the request may have been written, the same failures of
 * TLS have codes of their own instead of EPROTO.
 */
const NO_SECURE_CONNECTION =
	/^write EPROTO .*alert handshake failure|before secure TLS connection was established/i;
/** The handshake was answered by something else, such as a server that speaks http://. */
const NOT_TLS = /^write EPROTO .*(wrong version number|unknown protocol|packet length too long)/i;

/**
 * Judges an error that was thrown instead of an answer. Not sent is only what shows that nothing was
 * written to the network. An error of any other form, known or not, leaves open what happened: in
 * other versions of n8n the same failure comes in other forms.
 *
 * Texts name no code such as that of a reset connection: n8n replaces a text with one by its own,
 * which tells to retry at once.
 *
 * @param peer n8n's end of the connection: with a proxy, that is what can't be reached
 */
export function judgeError(error: unknown, peer: 'service' | 'proxy' = 'service'): Failure {
	const chain = unwrap(error);
	const input = chain.find((link) => link.name === 'InputError');
	if (input) return misconfigured(input.message ?? '', input.description);
	const codes = chain.flatMap(({ code, httpCode }) => [code, httpCode]).filter(isText);
	const texts = chain
		.flatMap(({ message, messages = [] }) => [message, ...messages])
		.filter(isText);
	const calls = chain.map(({ syscall }) => syscall).filter(isText);
	const hasCode = (pattern: RegExp) => codes.some((code) => pattern.test(code));
	const says = (pattern: RegExp) => texts.some((text) => pattern.test(text));

	const hadConnection = calls.some((call) => !CONNECTING.test(call));
	const [never] = codes.map((code) => NEVER_CONNECTED.get(code)).filter(isText);
	if (never !== undefined && !hadConnection) return unreachable(never, peer);
	const failedToConnect = calls.length > 0 ? !hadConnection : says(/^connect E/);
	if (failedToConnect && hasCode(CONNECTION_CODE)) {
		return unreachable('The service could not be reached', peer);
	}
	if (says(NOT_TLS)) {
		return misconfigured(
			"The server at this address doesn't speak https://",
			"Check the port in 'Base URL' of the credential, and whether it should begin with http://.",
		);
	}
	if (hasCode(SELF_SIGNED)) {
		return misconfigured(
			'The certificate of the service is self-signed or from an unknown authority',
			"If that is right and the service is in your own network, turn on 'Ignore SSL Issues (Insecure)' in the credential. Otherwise, check 'Base URL'.",
		);
	}
	if (hasCode(TLS_CODE) || says(NO_SECURE_CONNECTION)) {
		return misconfigured(
			'The connection to the service is not trusted',
			"Check that 'Base URL' of the credential is right and that the service has a valid certificate.",
		);
	}
	const unknown = {
		status: 'unknown',
		advice: 'Try again later.',
		transient: true,
		concernsAll: false,
		cause: 'temporarily-unavailable',
	} as const;
	const unread = chain.find((link) => link.name === 'AnswerError');
	if (unread) {
		const { message = '', description: advice = '' } = unread;
		return { ...unknown, message, advice, transient: false, cause: undefined };
	}
	const isCancelled = chain.some(({ name }) => name === 'AbortError' || name === 'CanceledError');
	if (isCancelled || hasCode(/^ERR_CANCELED$/)) {
		const message = 'The execution was cancelled while the service was answering';
		return { ...unknown, message, advice: '', transient: false, cause: undefined };
	}
	return hasCode(/^(ECONNABORTED|ETIMEDOUT)$/)
		? { ...unknown, message: 'The service did not answer in time' }
		: { ...unknown, message: 'The connection to the service broke off' };
}

/** Something is wrong with what the user has set: no request can be made. */
export function misconfigured(message: string, advice = ''): Failure {
	return {
		status: 'notSent',
		message,
		advice,
		transient: false,
		concernsAll: true,
		cause: 'configuration-invalid',
	};
}

function unreachable(message: string, peer: 'service' | 'proxy'): Failure {
	const field =
		peer === 'proxy' ? "'Proxy' in the settings of the node" : "'Base URL' of the credential";
	return {
		status: 'notSent',
		message: message.replace('service', peer),
		advice: `Check ${field}, and that n8n can reach the ${peer}.`,
		transient: true,
		concernsAll: true,
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
