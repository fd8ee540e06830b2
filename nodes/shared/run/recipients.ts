import { timeHere } from '../http/ServiceClock';

/** What an execution sends to one recipient. */
interface Sending {
	by: object;
	underWay: number;
	/** When the last of it was through, by `timeHere`. */
	until: number;
}

/** How long it is remembered, and how long a message can still leave whose answer was lost. Milliseconds. */
const KEPT = 3_600_000;
const LATE = 30_000;
/** Not swept more often than every so many new ones. */
const SWEPT_EVERY = 10_000;

/**
 * To whom the executions of this process have sent lately: the service does not say whose a message is,
 * so that none may take another's for its own.
 */
export class Recipients {
	private readonly sendings = new Map<string, Sending[]>();
	/** n8n's context of a node stands for its execution, and is not to be held in memory by this. */
	private readonly tokens = new WeakMap<object, object>();
	private sinceSweep = 0;

	/** @returns to be called when it is through, whatever became of it */
	begin(recipient: string, execution: object): () => void {
		const by = this.tokenOf(execution);
		const all = this.sendings.get(recipient) ?? [];
		let sending = all.find((one) => one.by === by);
		if (sending === undefined) {
			sending = { by, underWay: 0, until: 0 };
			this.sendings.set(recipient, [...all, sending]);
			if (++this.sinceSweep >= SWEPT_EVERY) this.sweep();
		}
		const own = sending;
		own.underWay++;
		return () => {
			own.underWay--;
			own.until = timeHere();
		};
	}

	/** Whether another execution may have sent something to the recipient that left at this time or later. */
	hasOthers(recipient: string, execution: object, since: number): boolean {
		const by = this.tokenOf(execution);
		return (this.sendings.get(recipient) ?? []).some(
			(one) => one.by !== by && (one.underWay > 0 || one.until + LATE >= since),
		);
	}

	private tokenOf(execution: object): object {
		const token = this.tokens.get(execution) ?? {};
		this.tokens.set(execution, token);
		return token;
	}

	private sweep(): void {
		this.sinceSweep = 0;
		const end = timeHere() - KEPT;
		for (const [recipient, all] of this.sendings) {
			const kept = all.filter((one) => one.underWay > 0 || one.until > end);
			if (kept.length === 0) this.sendings.delete(recipient);
			else if (kept.length < all.length) this.sendings.set(recipient, kept);
		}
	}
}

/** Those of this process. */
export const recipients = new Recipients();
