import type { Dialect } from './dialect.mts';
import type { Answer } from './endpoints.mts';

/** The service's error codes, from the public facts about it; their HTTP statuses are our choice. */
const ERROR_TEXTS: Record<number, string> = {
	10: 'No phone number given',
	11: 'Invalid phone number syntax',
	12: 'This number is on the unsubscribed list',
	13: 'This number is on the bounce list of the account',
	15: 'This number already exists',
	16: 'No message found for this query',
	20: 'Invalid characters in sender',
	21: 'Sender too short',
	22: 'Sender too long',
	23: 'Sender must not be all digits',
	30: 'No message text',
	31: 'Invalid characters in message',
	40: 'Invalid campaign name',
	41: 'Invalid campaign schedule time',
	45: 'Invalid campaign tag',
	47: 'Campaign not found',
	48: 'Invalid campaign recipient list',
	60: 'List not found',
	61: 'Invalid date format',
	62: 'Invalid scheduled date',
	71: 'Not enough credits',
	72: 'Authentication failed',
	73: 'Invalid JSON',
	75: 'Identifiers column not found',
};

const STATUS_OF_CODE: Record<number, number> = { 16: 404, 47: 404, 60: 404, 72: 401 };

/** A request that the service refuses; nothing was changed by it. */
export class Refusal extends Error {
	readonly code: number | undefined;
	readonly status: number;

	/**
	 * @param code the service's error code, where it has one for this case
	 * @param message what the error body says; the code's own text by default
	 * @param status the HTTP status; 401 or 404 by the code, else 400
	 */
	constructor(code: number | undefined, message?: string, status?: number) {
		super(message ?? ERROR_TEXTS[code ?? 0] ?? 'Bad request');
		this.code = code;
		this.status = status ?? STATUS_OF_CODE[code ?? 0] ?? 400;
	}

	/** The answer of the service, in a dialect. There is a status of its own where it has no code. */
	toAnswer(errors: Dialect['errors']): Answer {
		const { code, status, message } = this;
		switch (errors) {
			case 'codes':
				return {
					status,
					json:
						code === undefined ? { status, error: message } : { code, error: message },
				};
			case 'statuses':
				return { status, json: { status, error: message } };
			case 'html':
				return { status, ...errorPage(`Error ${status}`) };
			case 'empty':
				return { status };
		}
	}
}

function errorPage(title: string): Pick<Answer, 'chunks' | 'headers'> {
	return {
		chunks: [Buffer.from(`<!DOCTYPE html>\n<title>${title}</title>\n<h1>${title}</h1>\n`)],
		headers: { 'Content-Type': 'text/html; charset=utf-8' },
	};
}
