/** What the figures are held to, and whether they keep it. Pure; nothing is asserted. */
import { type CaseName, type Cell, OTHERS } from './plan.mts';
import { type Measured, type Row, summarize } from './results.mts';

interface Where {
	own: CaseName;
	/** The comparison that it is read from: two plain fields, n8n's default engine. */
	at: Pick<Cell, 'items' | 'latency'>;
	limit: number;
}

export type Target =
	/** Time beside that of a peer, at most `limit` of it. */
	| (Where & { kind: 'ratio'; peer: CaseName })
	/** How many times faster than a peer, at least `limit`. */
	| (Where & { kind: 'speed'; peer: CaseName })
	/** The longest stall, below `limit` milliseconds. */
	| (Where & { kind: 'stall' });

/** What a target comes to. */
export interface Verdict {
	/** Rounded to what is printed, for the worse; undefined where it was not measured. */
	value?: number;
	isMet?: boolean;
}

const ONE = { items: 1, latency: 20 } as const;
const thousand = (latency: Cell['latency']) => ({ items: 1_000, latency }) as const;
const SENDS = ['send', 'sendBatch'] as const;
const KEYED = ['sendKeyed', 'batchKeyed'] as const;

const beside = (at: Where['at'], limit: number, peer: CaseName = 'httpRequest') =>
	SENDS.map((own) => ({ kind: 'ratio', own, peer, at, limit }) as const);
const stalls = (names: readonly CaseName[], at: Where['at'], limit: number) =>
	names.map((own) => ({ kind: 'stall', own, at, limit }) as const);

export const TARGETS: readonly Target[] = [
	...beside(thousand(0), 0.12),
	...beside(thousand(20), 0.22),
	...beside(thousand(50), 0.3),
	...beside(thousand(200), 0.5),
	...beside(ONE, 1.2),
	...beside(thousand(20), 1.25, 'client'),
	...SENDS.map(
		(own) => ({ kind: 'speed', own, peer: 'twilio', at: thousand(20), limit: 15 }) as const,
	),
	...stalls(SENDS, thousand(20), 60),
	...stalls(SENDS, { items: 10_000, latency: 20 }, 100),
	...stalls(KEYED, { items: 50_000, latency: 20 }, 150),
	...stalls(OTHERS, thousand(20), 100),
];

/** Whether a comparison has what a target is read from. */
export function isAbout(target: Target, { engine, fields, items, latency, runs }: Cell): boolean {
	const { own, at } = target;
	const isThere = own in runs && (target.kind === 'stall' || target.peer in runs);
	const isUsual = engine === 'vm' && fields === 'two';
	return isThere && isUsual && items === at.items && latency === at.latency;
}

/** Reads a target from the first comparison that measured it. */
export function judge(target: Target, cells: readonly Measured[]): Verdict {
	for (const measured of cells.filter(({ cell }) => isAbout(target, cell))) {
		const rows = summarize(measured);
		const value = read(target, (name) => rows.find((row) => row.name === name));
		if (value === undefined) continue;
		const { kind, limit } = target;
		if (kind === 'ratio') return { value, isMet: value <= limit };
		return { value, isMet: kind === 'speed' ? value >= limit : value < limit };
	}
	return {};
}

function read(target: Target, rowOf: (name: CaseName) => Row | undefined): number | undefined {
	const own = rowOf(target.own);
	if (own === undefined) return undefined;
	if (target.kind === 'stall') return Math.ceil(own.stallMs);
	const peer = rowOf(target.peer);
	if (peer === undefined) return undefined;
	return target.kind === 'ratio'
		? Math.ceil((own.wallMs / peer.wallMs) * 100) / 100
		: Math.floor((peer.wallMs / own.wallMs) * 10) / 10;
}
