import { sleep, type IDataObject, type IPollFunctions } from 'n8n-workflow';
import { judgeAnswer, type Failure, type Reader } from '../shared/http/failure';
import { requestOnce } from '../shared/http/request';

/** A GET of the service. */
export interface Query {
	/** Path below the base URL, beginning with /v2. */
	url: string;
	qs?: IDataObject;
}

/** The share of n8n's time limit that is used; the rest is for comparing and handing over. */
const BUDGET_SHARE = 0.8;
/** n8n's own limit where it doesn't say one (versions without `getPollBudgetMs`). Milliseconds. */
const DEFAULT_BUDGET = 300_000;
/** Bounds of how long the service may be silent. Milliseconds. */
const SHORTEST_SILENCE = 1_000;
const LONGEST_SILENCE = 60_000;

const TIME_IS_UP: Failure = {
	status: 'unknown',
	message: 'The service did not answer in time',
	advice: 'Try again later. A poll has to end within the time that n8n gives it.',
	transient: true,
	general: false,
	cause: 'temporarily-unavailable',
};

/**
 * The service as one poll sees it. A request is made once and not repeated when it fails: the next
 * poll is the repetition.
 */
export class SmsService {
	private readonly end: number;
	private parts = 1;
	private last?: { key: string; body: Promise<{ value: { body: unknown } } | Failure> };

	constructor(private readonly context: IPollFunctions) {
		const budget = context.getPollBudgetMs?.() ?? DEFAULT_BUDGET;
		this.end = Date.now() + budget * BUDGET_SHARE;
	}

	/** The time of the poll is up: no further request should be made. */
	get isOver(): boolean {
		return Date.now() >= this.end;
	}

	/** Says how many sources are to come, so that a silent one leaves time for the others. */
	shareTime(sources: number): void {
		this.parts = Math.max(1, sources);
	}

	/** Asks the service and reads the answer. The last answer is kept for who asks the same. */
	async get<T>(query: Query, read: Reader<T>): Promise<{ value: T } | Failure> {
		const key = JSON.stringify([query.url, query.qs]);
		if (this.last?.key !== key) {
			this.last = { key, body: this.ask(query, (body) => ({ body })) };
		}
		const answer = await this.last.body;
		if (!('value' in answer)) return answer;
		return judgeAnswer({ statusCode: 200, headers: {}, body: answer.value.body }, read);
	}

	/** Lets the last answer go: it may be large. */
	release(): void {
		this.last = undefined;
	}

	/** Asks the service, without keeping the answer. */
	async ask<T>(query: Query, read: Reader<T>): Promise<{ value: T } | Failure> {
		const left = this.end - Date.now();
		if (left <= 0) return TIME_IS_UP;
		const share = Math.floor(left / this.parts);
		const timeout = Math.max(SHORTEST_SILENCE, Math.min(LONGEST_SILENCE, share));
		// The HTTP client counts each silence; an answer that trickles in has the time of the poll.
		const answered = new AbortController();
		try {
			return await Promise.race([
				requestOnce(this.context, { method: 'GET', ...query }, read, { timeout }),
				sleep(left, answered.signal).then(() => TIME_IS_UP),
			]);
		} finally {
			answered.abort();
		}
	}
}
