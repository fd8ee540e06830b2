import type { IPollFunctions } from 'n8n-workflow';
import { parseBaseUrl } from '../shared/http/baseUrl';
import { Connection } from '../shared/http/connection';
import type { ServiceCredential } from '../shared/http/credential';
import type { Answer, Failure, Reader } from '../shared/http/failure';
import { judgeAnswer, judgeError } from '../shared/http/judge';
import type { ServiceRequest } from '../shared/http/request';
import { StepFailed } from '../shared/run/outcome';
import { ACCOUNT_STATISTICS, readAccountStatistics } from '../shared/service/account';
import { isEmpty } from '../shared/service/answers';
import { meaningOf } from '../shared/service/errorCodes';

/** A GET of the service. */
export type Query = Omit<ServiceRequest, 'body'>;

/** The share of n8n's time limit that is used; the rest is for comparing and handing over. */
const BUDGET_SHARE = 0.8;
/** n8n's own limit where it doesn't say one (versions without `getPollBudgetMs`). Milliseconds. */
const DEFAULT_BUDGET = 300_000;
/** Bounds of how long the service may be silent. Milliseconds. */
const SHORTEST_SILENCE = 1_000;
const LONGEST_SILENCE = 60_000;

/**
 * The service as one poll sees it. The credential is read once. A request is made once and not repeated
 * when it fails: the next poll is the repetition.
 */
export class SmsService {
	/** How long one answer may take to begin, so that a silent source leaves time for the others. */
	silence = LONGEST_SILENCE;
	private readonly end: number;
	private last?: { key: string; answer: Promise<{ value: Answer } | Failure> };
	private presence?: Promise<{ value: unknown } | Failure>;

	private constructor(
		private readonly connection: Connection,
		/** Host and path of the service; whether it is encrypted doesn't tell one service from another. */
		readonly address: string,
		readonly key: string,
		private readonly budget: number,
	) {
		this.end = Date.now() + budget;
	}

	/** Never throws: with a credential that can't be used, every request fails and says so. */
	static async open(context: IPollFunctions): Promise<SmsService> {
		const connection = await Connection.open(context);
		const credential: ServiceCredential = connection.credential.data ?? {};
		const key = typeof credential.apiKey === 'string' ? credential.apiKey.trim() : '';
		const budget = (context.getPollBudgetMs?.() ?? DEFAULT_BUDGET) * BUDGET_SHARE;
		return new SmsService(connection, addressOf(credential), key, budget);
	}

	/** ISO 3166-1 code of the country whose national numbers are understood. */
	get country(): string {
		return this.connection.account.country;
	}

	/** The time of the poll is up: no further request should be made. */
	get isOver(): boolean {
		return Date.now() >= this.end;
	}

	/** Divides the time of the poll among so many sources. */
	shareTime(sources: number): void {
		const share = Math.floor(this.budget / (sources + 1));
		this.silence = Math.max(SHORTEST_SILENCE, Math.min(LONGEST_SILENCE, share));
	}

	/**
	 * Asks the service and reads the answer. The last answer is kept for a source that asks the same.
	 *
	 * @throws StepFailed
	 */
	async get<T>(query: Query, read: Reader<T>): Promise<T> {
		const key = JSON.stringify(query);
		if (this.last?.key !== key) {
			this.last = { key, answer: this.ask(query, (_, answer) => answer) };
		}
		const answer = await this.last.answer;
		const result = 'value' in answer ? await judgeAnswer(answer.value, read) : answer;
		if ('value' in result) return result.value;
		throw new StepFailed(result);
	}

	/**
	 * As `get`, for data that may not exist, such as the messages of a category. How the service says so is not shown in
	 * the interface document: its code 16, an empty list or object, null, no content, or 404, as long as it is the
	 * service that answers at this address.
	 *
	 * @returns undefined where there is nothing
	 * @throws StepFailed
	 */
	async find<T>(query: Query, read: Reader<T>): Promise<T | undefined> {
		const readAny: Reader<T | null> = (body, whole) =>
			isEmpty(body) ? null : read(body, whole);
		const found = await this.get(query, readAny).catch(async (error: unknown) => {
			if (await this.saysNothing(failureIn(error), query)) return null;
			throw error;
		});
		return found ?? undefined;
	}

	private async saysNothing(failure: Failure, { qs }: Query): Promise<boolean> {
		const meaning = meaningOf(failure);
		// Without a query, a 404 is about the address, whatever it says.
		if (qs === undefined) return meaning === 'nothingFound' && failure.said === undefined;
		if (meaning === 'nothingFound') return true;
		// It may be the address that is wrong: account statistics are there at any time (interface document 4.6).
		if (meaning !== 'missing' && meaning !== 'noSuchPath') return false;
		this.presence ??= this.ask({ endpoint: ACCOUNT_STATISTICS }, readAccountStatistics);
		return 'value' in (await this.presence);
	}

	private async ask<T>(query: Query, read: Reader<T>): Promise<{ value: T } | Failure> {
		// An answer that trickles in has the time of the poll.
		const timeout = this.end - Date.now();
		if (timeout <= 0) return judgeError({ code: 'ETIMEDOUT' });
		const silence = Math.min(this.silence, timeout);
		return await this.connection.request(query, read, { timeout, silence });
	}
}

/** The request that failed. @throws any other error */
export function failureIn(error: unknown): Failure {
	if (error instanceof StepFailed) return error.failure;
	throw error;
}

function addressOf({ baseUrl }: ServiceCredential): string {
	try {
		return parseBaseUrl(baseUrl, true).replace(/^\w+:\/\//, '');
	} catch {
		return '';
	}
}
