import type { IContextObject } from 'n8n-workflow';
import { timeHere } from '../http/ServiceClock';

/** A try of a run of a node in an execution: in a loop there are several runs, and each can be retried. */
export interface Sender {
	/** n8n's context of the node, which goes over to a retry: it keeps the execution's name. */
	memory: IContextObject;
	runIndex: number;
	/** Which try it is: each has its own. */
	id: symbol;
}

/** What a try sends to one recipient. */
interface Sending {
	by: symbol;
	/** The run that it is a try of. */
	run: string;
	underWay: number;
	/** When the last of it has left at the latest, by `timeHere`. */
	until: number;
}

/** Under which an execution keeps a name of its own, so that its retries are known as the same. */
const NAME = 'smsExecution';
/** How long it is remembered. Milliseconds. */
const KEPT = 3_600_000;
/** How long a message can still leave whose answer was lost: it may wait in a queue. Milliseconds. */
export const LATEST_DATE = 30_000;
/** Not swept more often than every so many new ones. */
const SWEPT_EVERY = 10_000;

/**
 * To whom the executions of this process have sent lately: the service does not say whose a message is,
 * so that none may take another's for its own.
 */
export class Recipients {
	private readonly sendings = new Map<string, Sending[]>();
	private sinceSweep = 0;

	/**
	 * @returns to be called when it is through; with `true` where the answer was lost
	 */
	begin(recipient: string, sender: Sender): (isLost: boolean) => void {
		sender.memory[NAME] ??= randomId();
		const all = this.sendings.get(recipient) ?? [];
		let sending = all.find((one) => one.by === sender.id);
		if (sending === undefined) {
			sending = { by: sender.id, run: nameOf(sender), underWay: 0, until: 0 };
			this.sendings.set(recipient, [...all, sending]);
			if (++this.sinceSweep >= SWEPT_EVERY) this.sweep();
		}
		const own = sending;
		own.underWay++;
		return (isLost) => {
			own.underWay--;
			own.until = Math.max(own.until, timeHere() + (isLost ? LATEST_DATE : 0));
		};
	}

	/**
	 * Whether something else may have been sent to the recipient that left at this time or later: by another
	 * execution, by another run of this one, or by another try of this run.
	 *
	 * @param since undefined for what an earlier try has left unknown: whether another execution, or another
	 *   run, has sent something at any time
	 */
	hasOthers(recipient: string, sender: Sender, since: number | undefined): boolean {
		const run = nameOf(sender);
		return (this.sendings.get(recipient) ?? []).some((one) =>
			since === undefined
				? one.run !== run
				: one.by !== sender.id && (one.underWay > 0 || one.until >= since),
		);
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

function nameOf({ memory, runIndex }: Sender): string {
	return `${String(memory[NAME])}/${runIndex}`;
}

function randomId(): string {
	return Math.random().toString(36).slice(2);
}

/** Those of this process. */
export const recipients = new Recipients();
