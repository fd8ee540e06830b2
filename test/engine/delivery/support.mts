/**
 * What the tests of delivery share: a world in which everything can go wrong, and the readers of what a
 * run shows and stores.
 */
import { createHash } from 'node:crypto';
import {
	startSimulator,
	type FaultAction,
	type RecordedRequest,
	type SimMessage,
	type Simulator,
} from '../../simulator/index.mts';
import { deduplicationStore, wires, type RunResult } from '../harness.mts';

export { hurry } from '../sms/support.mts';

/** With characters that are written differently in a URL. Its first letters occur nowhere else. */
export const KEY = 'Zq7!DEF(123)xyz+/=&42';

/** How the service, or what stands before it, answers one request. */
export interface Answer {
	/** Without one, as the service does. */
	do?: FaultAction;
	/**
	 * Whether the answer is evidence of what became of the message, by guarantee 5 of the design. If not,
	 * it is unknown.
	 */
	evidence: boolean;
}

const json = (status: number, body: unknown, accept: boolean): FaultAction => ({
	kind: 'json',
	status,
	body,
	accept,
});
const page = (status: number, accept: boolean, headers = {}): FaultAction => ({
	kind: 'status',
	status,
	accept,
	headers,
});

/** By names that can be read in a counterexample: the answer, and whether the message was accepted. */
export const ANSWERS = {
	ok: { evidence: true },
	slow: { do: { kind: 'slowBody', ms: 3 }, evidence: true },

	'429': { do: { kind: 'tooManyRequests', retryAfter: 0 }, evidence: true },
	'503 Retry-After 0': { do: page(503, false, { 'Retry-After': '0' }), evidence: true },
	'400 code 12': { do: json(400, { code: 12, error: 'STOP' }, false), evidence: true },
	'400 code 19': { do: json(400, { code: 19, error: 'Fixed line' }, false), evidence: true },
	'400 code 20': { do: json(400, { code: '20', error: 'Sender' }, false), evidence: true },
	'402 code 71': { do: json(402, { code: 71, error: 'Credits' }, false), evidence: true },
	'200 code 12': { do: json(200, { code: 12, error: 'STOP' }, false), evidence: true },
	'500 code 31': { do: json(500, { code: 31, message: 'Characters' }, false), evidence: true },
	'401 code 72': { do: json(401, { code: 72, error: 'Key' }, false), evidence: true },
	'403 page': { do: page(403, false), evidence: true },
	'400 with the key': {
		do: json(400, { code: 4711, error: `apiKey=${percentEncoded(KEY)} or ${KEY}` }, false),
		evidence: true,
	},

	'reset, not accepted': { do: { kind: 'resetBeforeRead' }, evidence: false },
	'502 page, not accepted': { do: page(502, false), evidence: false },
	'504 code 504, not accepted': { do: json(504, { code: 504 }, false), evidence: false },

	'reset, accepted': { do: { kind: 'resetAfterAccept' }, evidence: false },
	'half a body, accepted': { do: { kind: 'truncatedJson', accept: true }, evidence: false },
	'200 page, accepted': { do: { kind: 'html200', accept: true }, evidence: false },
	'200 other types, accepted': { do: { kind: 'wrongTypes', accept: true }, evidence: false },
	'502 page, accepted': { do: page(502, true), evidence: false },
	'503 page, accepted': { do: page(503, true), evidence: false },
	'504 code 504, accepted': { do: json(504, { code: 504 }, true), evidence: false },
	'504 code 4, accepted': { do: json(504, { code: 4 }, true), evidence: false },
	'200 code 200, accepted': { do: json(200, { code: 200 }, true), evidence: false },
	'500 code 1000, accepted': {
		do: json(500, { code: 1000, error: 'Unknown' }, true),
		evidence: false,
	},
	'500 with text, accepted': {
		do: json(500, { status: 500, error: `Key ${percentEncoded(KEY)}` }, true),
		evidence: false,
	},
} as const satisfies Record<string, Answer>;

export type AnswerName = keyof typeof ANSWERS;

/** Each character as in a URL, in lower case. */
function percentEncoded(text: string): string {
	return text.replace(/[^A-Za-z0-9]/g, (character) =>
		`%${character.charCodeAt(0).toString(16)}`.toLowerCase(),
	);
}

/** A request as it arrived. */
export interface Arrival {
	request: RecordedRequest;
	/** Tells lineage, run and item. */
	tag: string;
	answer: AnswerName;
	/** Set when the service accepted a message. */
	message?: SimMessage;
	/** Whether the request changed anything. */
	changed: boolean;
}

/** Finds out which item a request belongs to; undefined for those that are left alone. */
export type TagOf = (request: RecordedRequest) => string | undefined;

/** What goes wrong beside the service's answers, during one step. */
export interface Hooks {
	onRequest?: (arrival: Arrival) => void;
	onStoreCall?: (stage: 'read' | 'written') => Promise<void> | void;
}

const SENDING = /\/messages\/send$/;
let worlds = 0;

/** One account of the service, one workflow of n8n, and what goes wrong with both. */
export class World {
	/** Every request to send since the last reset, in order. */
	readonly arrivals: Arrival[] = [];
	/** Answers that are still to come, by tag. */
	readonly plan = new Map<string, AnswerName[]>();
	hooks: Hooks = {};
	workflowId = '';
	/** Errors of n8n's HTTP client reach the nodes as plain Errors, as on n8n 1.123. */
	plainErrors = false;
	/** Calls of the store that it has not answered yet. */
	storeCalls = 0;
	private current?: Arrival;
	private ignored?: RecordedRequest;

	private constructor(
		readonly sim: Simulator,
		/** By default, of messages. */
		public tagOf: TagOf,
	) {}

	static async start(): Promise<World> {
		const world = new World(
			await startSimulator({ apiKey: KEY, extended: true }),
			tagOfMessage,
		);
		world.listen();
		world.reset();
		return world;
	}

	async close(): Promise<void> {
		wires.delete(this.sim.baseUrl);
		await this.sim.close();
	}

	get credential() {
		return { baseUrl: this.sim.baseUrl, apiKey: KEY };
	}

	/** A new account and a new workflow. */
	reset(): void {
		this.sim.reset();
		this.arrivals.length = 0;
		this.plan.clear();
		this.hooks = {};
		this.plainErrors = false;
		this.storeCalls = 0;
		deduplicationStore.rows.delete(`${this.workflowId}/`);
		deduplicationStore.rows.delete(`${this.workflowId}/under-test`);
		byWorkflow.delete(this.workflowId);
		this.workflowId = `workflow-${++worlds}`;
		byWorkflow.set(this.workflowId, this);
		for (const [name, { do: action }] of Object.entries<Answer>(ANSWERS)) {
			if (action === undefined) continue;
			this.sim.faults.add({
				times: Infinity,
				match: (request) => this.answerTo(request) === name,
				do: action,
			});
		}
	}

	/** Everything that was under way has ended. */
	async quiet(): Promise<void> {
		let still = 0;
		while (still < 3) {
			await new Promise((resolve) => setTimeout(resolve, 1));
			still = this.sim.inFlight === 0 && this.storeCalls === 0 ? still + 1 : 0;
		}
	}

	private listen(): void {
		const { service } = this.sim;
		const accept = service.accept.bind(service);
		// Called in the same tick in which the faults of a request are looked up.
		service.accept = (input) => {
			const message = accept(input);
			if (this.current && message.campaignId === undefined) this.current.message = message;
			return message;
		};
		wires.set(this.sim.baseUrl, async (_request, make) => {
			if (!this.plainErrors) return await make();
			let answer: unknown;
			try {
				answer = await make();
			} catch (error) {
				throw new Error((error as Error).message);
			}
			const { body, headers } = answer as { body: unknown; headers: Record<string, string> };
			if (typeof body === 'string' && headers['content-type']?.includes('json')) {
				throw new Error('Unexpected end of JSON input');
			}
			return answer;
		});
	}

	/** How much of everything the service holds. */
	private memory(): string {
		const { lists, campaigns, messages } = this.sim.service;
		let [columns, contacts] = [0, 0];
		for (const list of lists.values()) {
			columns += list.fields.length;
			contacts += list.contacts.length;
		}
		const stopped = this.sim.service.blacklist('unsubscribers').size;
		return `${stopped} ${lists.size} ${columns} ${contacts} ${campaigns.size} ${messages.length}`;
	}

	private answerTo(request: RecordedRequest): AnswerName | undefined {
		if (this.current?.request === request) return this.current.answer;
		if (this.ignored === request) return undefined;
		const tag = this.tagOf(request);
		if (tag === undefined) {
			this.ignored = request;
			return undefined;
		}
		const answer = this.plan.get(tag)?.shift() ?? 'ok';
		const arrival: Arrival = { request, tag, answer, changed: false };
		this.current = arrival;
		this.arrivals.push(arrival);
		const before = this.memory();
		// The service carries a request out in the same tick.
		queueMicrotask(() => (arrival.changed = this.memory() !== before));
		this.hooks.onRequest?.(arrival);
		return answer;
	}
}

const byWorkflow = new Map<string, World>();
deduplicationStore.onCall = async ({ workflowId }, stage) => {
	const world = byWorkflow.get(workflowId);
	if (world === undefined) return;
	if (stage === 'read') world.storeCalls++;
	try {
		await world.hooks.onStoreCall?.(stage);
	} catch (error) {
		world.storeCalls--;
		throw error;
	}
	if (stage === 'written') world.storeCalls--;
};

/** The test writes it into the campaign name, or into the sender of the URL form (interface document 4.3). */
function tagOfMessage({ method, path, query, bodyText }: RecordedRequest): string | undefined {
	if (!SENDING.test(path)) return undefined;
	if (method === 'GET') return (query.get('sender') ?? '').slice(1);
	return ((JSON.parse(bodyText) as { campaignName?: string }).campaignName ?? '').slice(1);
}

/** What a stored execution knows of one item: accepted, with its snapshot, or unknown. */
export interface StoredReceipt {
	run: number;
	item: number;
	/** Of what went to a test number. */
	isTrial: boolean;
	snapshotId?: string;
}

/** The receipts in the stored node context: the one place in the tests that knows their form. */
export function storedReceipts({ data }: Pick<RunResult, 'data'>): StoredReceipt[] {
	const contexts = Object.values(data.executionData?.contextData ?? {}) as Array<{
		smsReceipts?: {
			runs: Record<
				string,
				Record<string, Array<[unknown, unknown, { snapshotId?: string } | null]>>
			>;
		};
	}>;
	return contexts.flatMap(({ smsReceipts }) =>
		Object.entries(smsReceipts?.runs ?? {}).flatMap(([run, page]) =>
			Object.entries(page).flatMap(([key, entries]) =>
				entries.map(([, , kept]) => ({
					run: Number(run),
					item: Number.parseInt(key, 10),
					isTrial: key.endsWith(':test'),
					snapshotId: kept?.snapshotId,
				})),
			),
		),
	);
}

/** What the error of a stopped run lists. */
export function listedIn(error: RunResult['error']): {
	accepted?: Array<{ item: number; snapshotId?: string }>;
	unknown?: Array<{ item: number }>;
} {
	return (error?.context?.data ?? {}) as never;
}

/**
 * Where the API key, or the beginning of it, is in a text, however it is written in a URL.
 *
 * @returns what stands around it; empty when it isn't there
 */
export function keyIn(text: string): string {
	const start = KEY.slice(0, 3);
	for (const spelled of [text, text.replace(/%(25)*([0-9a-f]{2})/gi, decoded)]) {
		const at = spelled.indexOf(start);
		if (at >= 0) return spelled.slice(Math.max(0, at - 80), at + 30);
	}
	return '';
}

const decoded = (_: string, __: string, hex: string) => String.fromCharCode(parseInt(hex, 16));

/** A seed's worth of randomness for one number. */
export function spread(seed: number, index: number): number {
	return createHash('sha1').update(`${seed}/${index}`).digest().readUInt32LE(0);
}
