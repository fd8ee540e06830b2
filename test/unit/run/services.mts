/** Services to send to in virtual time: the run's own limiter and client, and answers as each service gives them. */
import type { IContextObject } from 'n8n-workflow';
import { vi } from 'vitest';
import type { Failure } from '../../../nodes/shared/http/failure.ts';
import { judgeError } from '../../../nodes/shared/http/judge.ts';
import { judgeStatus } from '../../../nodes/shared/http/statuses.ts';
import { Budget } from '../../../nodes/shared/run/budget.ts';
import { Client } from '../../../nodes/shared/run/client.ts';
import { Limiter } from '../../../nodes/shared/run/limiter.ts';
import { Receipts } from '../../../nodes/shared/run/receipts.ts';
import { neverStop } from '../../../nodes/shared/run/stopRule.ts';
import { SEND } from '../../../nodes/shared/service/sentMessages.ts';

/** What a service knows when a request arrives. */
/** A first try. */
const PLACE = { runIndex: 0, executionId: '1', isTool: false };

export interface Arrival {
	/** Requests that have arrived, this one included. */
	order: number;
	/** Requests that it is answering, this one included. */
	inFlight: number;
}

/** How it answers: after so many milliseconds, with a failure or as accepted. */
export interface Answer {
	after: number;
	failure?: Failure;
}

export type Service = (arrival: Arrival) => Answer;

/** Numbers from 0 to 1, the same ones for the same seed. */
export function randomOf(seed: number): () => number {
	let state = seed;
	return () => (state = (state * 48_271) % 0x7fffffff) / 0x7fffffff;
}

export const tooMany = (retryAfter?: number) =>
	judgeStatus({
		statusCode: 429,
		headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
		body: '',
	});
export const refusedConnection = () =>
	judgeError({ code: 'ECONNREFUSED', syscall: 'connect', message: 'connect ECONNREFUSED' });

/** What came of a run. */
export interface Sent {
	accepted: number;
	/** Requests that the service has refused. */
	failures: number;
	/** Milliseconds. */
	took: number;
	/** Requests in flight when each one arrived, itself included. */
	inFlight: number[];
	/** The window after the last answer. */
	window: number;
}

/** Sends messages as a batch does that nothing stops. */
export async function sendTo(service: Service, count: number, concurrency?: number): Promise<Sent> {
	vi.useFakeTimers();
	// The waits before further tries are drawn by lot.
	vi.spyOn(Math, 'random').mockImplementation(randomOf(1));
	try {
		const memory: IContextObject = {};
		const limiter = new Limiter({ concurrency, requestsPerSecond: 0 });
		const sent: Sent = { accepted: 0, failures: 0, took: 0, inFlight: [], window: 0 };
		let inFlight = 0;
		const connection = limiter.listenTo({
			async request() {
				const order = sent.inFlight.push(++inFlight);
				const { after, failure } = service({ order, inFlight });
				await new Promise((resolve) => setTimeout(resolve, after));
				inFlight--;
				if (failure !== undefined) sent.failures++;
				return failure ?? { value: { snapshotId: String(order), creditsUsed: 1 } as never };
			},
		});
		const run = {
			...{ connection, limiter, receipts: new Receipts(memory, PLACE) },
			...{
				budget: new Budget(memory, {}, PLACE.executionId),
				stopRule: neverStop(),
				cache: new Map(),
			},
			...{ notes: new Set<string>(), warnings: new Set<string>() },
		};
		const began = performance.now();
		let open = count;
		for (let index = 0; index < count; index++) {
			const identity = { target: String(index), content: 'text' };
			void new Client(run, { index, identity, mayRepeat: false })
				.change({ endpoint: SEND }, () => undefined)
				.then(() => sent.accepted++)
				.catch(() => {})
				.finally(() => open--);
		}
		while (open > 0) {
			const now = performance.now();
			await vi.advanceTimersToNextTimerAsync();
			// A wait for a part of a millisecond takes no time here.
			if (performance.now() === now) await vi.advanceTimersByTimeAsync(1);
		}
		sent.took = performance.now() - began;
		sent.window = limiter.concurrency;
		return sent;
	} finally {
		vi.restoreAllMocks();
		vi.useRealTimers();
	}
}
