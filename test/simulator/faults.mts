/** Faults on demand: what goes wrong with which request. */
import type { RecordedRequest } from './recorder.mts';

/**
 * A fault. Where `accept` is there, the request is processed before the answer goes wrong
 * if it is true, and not at all otherwise (the default).
 */
export type FaultAction =
	/** The request is processed at once and answered `ms` later. */
	| { kind: 'delay'; ms: number }
	/** TCP reset; nothing is processed. */
	| { kind: 'resetBeforeRead' }
	/** The request is processed, then TCP reset instead of an answer. */
	| { kind: 'resetAfterAccept' }
	/** The request is processed and never answered; the connection stays open. */
	| { kind: 'noAnswerAfterAccept' }
	/** Another status, by default with an HTML error page. */
	| {
			kind: 'status';
			status: number;
			body?: string;
			contentType?: string;
			headers?: Record<string, string>;
			accept?: boolean;
	  }
	/** 429, with Retry-After if given. */
	| { kind: 'tooManyRequests'; retryAfter?: string | number }
	/** 200 with an HTML page. */
	| { kind: 'html200'; accept?: boolean }
	/** 200 with the first half of a JSON body. */
	| { kind: 'truncatedJson'; accept?: boolean }
	/** 200 with JSON in which every value has a type that makes no sense. */
	| { kind: 'wrongTypes'; accept?: boolean }
	/** This JSON; status 200 by default. */
	| { kind: 'json'; status?: number; body: unknown; accept?: boolean }
	/** A redirect; status 302 by default. */
	| { kind: 'redirect'; location: string; status?: number }
	/** The request is processed; half of the answer comes at once, the rest `ms` later. */
	| { kind: 'slowBody'; ms: number }
	/** The request is processed; the connection ends after half of the answer's body. */
	| { kind: 'cutBody' };

export interface Fault {
	/** Requests with this method only. */
	method?: string;
	/** Requests to this path (without the query) only. */
	path?: string | RegExp;
	/** Requests for which this is true only; their body has been read. */
	match?: (request: RecordedRequest) => boolean;
	/** How many matching requests are left alone first. Default 0. */
	skip?: number;
	/** How many requests it hits. Default 1; Infinity for always. */
	times?: number;
	/** Hits a matching request with this probability. Default 1. */
	probability?: number;
	/** The source of chance, 0 ≤ x < 1. Default Math.random. */
	random?: () => number;
	do: FaultAction;
}

export interface FaultHandle {
	/** How many requests it has hit. */
	readonly hits: number;
	remove(): void;
}

/** The moment at which a fault is decided: when the head has arrived, or the body. */
type Stage = 'head' | 'body';

class ActiveFault implements FaultHandle {
	hits = 0;
	readonly fault: Fault;
	private seen = 0;
	private readonly onRemove: (fault: ActiveFault) => void;

	constructor(fault: Fault, onRemove: (fault: ActiveFault) => void) {
		this.fault = fault;
		this.onRemove = onRemove;
	}

	/** Only a reset before reading that doesn't want to see the body is decided at the head. */
	get stage(): Stage {
		const early = this.fault.do.kind === 'resetBeforeRead' && this.fault.match === undefined;
		return early ? 'head' : 'body';
	}

	/** Compares a request with the fault, and counts it. */
	takes(request: RecordedRequest): boolean {
		const { method, path, match, skip = 0, times = 1, probability = 1 } = this.fault;
		const random = this.fault.random ?? Math.random;
		if (this.hits >= times) return false;
		if (method !== undefined && method.toUpperCase() !== request.method) return false;
		if (typeof path === 'string' && path !== request.path) return false;
		if (path instanceof RegExp && request.path.search(path) === -1) return false;
		if (match !== undefined && !match(request)) return false;
		if (this.seen++ < skip) return false;
		if (probability < 1 && random() >= probability) return false;
		this.hits++;
		return true;
	}

	remove(): void {
		this.onRemove(this);
	}
}

/** The faults that are set. The one added first wins, but delays add to whatever follows. */
export class Faults {
	private active: ActiveFault[] = [];

	add(fault: Fault): FaultHandle {
		const added = new ActiveFault(fault, (removed) => {
			this.active = this.active.filter((one) => one !== removed);
		});
		this.active.push(added);
		return added;
	}

	clear(): void {
		this.active = [];
	}

	/** The faults of a request at this stage; at most one besides delays. */
	take(request: RecordedRequest, stage: Stage): FaultAction[] {
		const actions: FaultAction[] = [];
		for (const one of this.active) {
			if (one.stage !== stage || !one.takes(request)) continue;
			actions.push(one.fault.do);
			if (one.fault.do.kind !== 'delay') break;
		}
		return actions;
	}
}

const JSON_TYPE = 'application/json';
const errorPage = (title: string) =>
	`<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;

/** An answer on the wire: the body in pieces, with a pause after the first half if slow. */
export interface WireAnswer {
	status: number;
	headers: Record<string, string>;
	chunks: Buffer[];
	/** Milliseconds between the first half of the body and the rest; Infinity: the rest never comes. */
	pauseMs?: number;
}

const RECEIPT_LIKE = Buffer.from('{"creditsUsed":1,"snapshotId":"362890"}');
const SENSELESS = { id: [], snapshotId: {}, creditsUsed: 'many', state: 0, identifier: false };

type Kind = FaultAction['kind'];
type Of<K extends Kind> = Extract<FaultAction, { kind: K }>;

/** A kind of fault: a request is processed always, never, or where the action has `accept`; and the answer. */
interface KindOf<K extends Kind> {
	processed: 'always' | 'never' | 'asked';
	/** @param real the service's own answer; undefined when the request was not processed */
	spoil: (action: Of<K>, real: WireAnswer | undefined) => WireAnswer | 'reset' | 'silence';
}

const KINDS: { [K in Kind]: KindOf<K> } = {
	delay: { processed: 'always', spoil: (_, real) => real! },
	resetBeforeRead: { processed: 'never', spoil: () => 'reset' },
	resetAfterAccept: { processed: 'always', spoil: () => 'reset' },
	noAnswerAfterAccept: { processed: 'always', spoil: () => 'silence' },
	status: {
		processed: 'asked',
		spoil: ({ status, body = errorPage(`Error ${status}`), contentType, headers }) =>
			page(status, body, contentType, headers),
	},
	tooManyRequests: {
		processed: 'never',
		spoil: ({ retryAfter }) =>
			page(
				429,
				'Too Many Requests\n',
				'text/plain',
				retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) },
			),
	},
	html200: { processed: 'asked', spoil: () => page(200, errorPage('Welcome')) },
	truncatedJson: {
		processed: 'asked',
		spoil: (_, real) => {
			const whole = real === undefined ? RECEIPT_LIKE : Buffer.concat(real.chunks);
			return page(200, whole.subarray(0, Math.ceil(whole.length / 2)), JSON_TYPE);
		},
	},
	wrongTypes: {
		processed: 'asked',
		spoil: (_, real) => {
			const whole = real === undefined ? '' : Buffer.concat(real.chunks).toString('utf8');
			const body = whole === '' ? SENSELESS : wrong(JSON.parse(whole));
			return page(200, JSON.stringify(body), JSON_TYPE);
		},
	},
	json: {
		processed: 'asked',
		spoil: ({ status = 200, body }) => page(status, JSON.stringify(body), JSON_TYPE),
	},
	redirect: {
		processed: 'never',
		spoil: ({ status = 302, location }) => page(status, '', undefined, { Location: location }),
	},
	slowBody: { processed: 'always', spoil: ({ ms }, real) => ({ ...real!, pauseMs: ms }) },
	cutBody: { processed: 'always', spoil: (_, real) => ({ ...real!, pauseMs: Infinity }) },
};

/** The service processes the request under this action. */
export function accepts(action: FaultAction): boolean {
	const { processed } = KINDS[action.kind];
	return processed === 'asked'
		? 'accept' in action && action.accept === true
		: processed === 'always';
}

/** The answer on the wire under a fault; 'reset' where the connection is reset, 'silence' where there is none. */
export function spoil<K extends Kind>(
	action: Of<K>,
	real: WireAnswer | undefined,
): ReturnType<KindOf<K>['spoil']> {
	return (KINDS[action.kind] as KindOf<K>).spoil(action, real);
}

function page(
	status: number,
	body: string | Buffer,
	contentType = 'text/html; charset=utf-8',
	headers: Record<string, string> = {},
): WireAnswer {
	const chunk = Buffer.from(body);
	return {
		status,
		headers: { ...(chunk.length > 0 && { 'Content-Type': contentType }), ...headers },
		chunks: chunk.length > 0 ? [chunk] : [],
	};
}

/** The same shape with types that make no sense: an object for a value, a text for a collection. */
function wrong(value: unknown): unknown {
	if (Array.isArray(value)) return { unexpected: 'object' };
	if (typeof value !== 'object' || value === null) return [value];
	return Object.fromEntries(
		Object.entries(value).map(([key, inner]) => [
			key,
			typeof inner === 'object' ? 'text' : { unexpected: true },
		]),
	);
}
