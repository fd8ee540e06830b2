import type { Open, Prepared, Renamed } from './entries';
import { failureOf, fateOf, HELD_BACK, notBegun, type Fate, type Outcome } from './outcome';
import type { Recovery } from './recovery';
import type { Client } from './client';
import { beginInSlices } from './slices';
import { inAll } from './unknown';

/**
 * Keeps books about an item. Who has none can change nothing: a key is released by the run that claimed
 * it only, and only to what it was before.
 */
export interface Ticket {
	/** Called once, when the item is through. */
	settle(fate: Fate): void;
	/** It may have been carried out before, by another execution. */
	readonly wasUnknown?: boolean;
}

/** What a stage says of an item: why it isn't sent, or a ticket. Nothing: it is sent. */
export type Admission = { outcome: Outcome } | { ticket: Ticket } | undefined;

/** What a stage can look at before the first item. */
export interface Beginning {
	client: Client;
	/**
	 * What an earlier try of this execution made, or may have, by its likeness: the item; undefined for that of
	 * another call of a tool.
	 */
	madeBefore: ReadonlyMap<string, number | undefined>;
}

/** Something that an item has to pass before it is carried out, such as a blacklist. */
export interface Stage<P extends Prepared = Prepared> {
	/**
	 * Before the first item.
	 *
	 * @param renamed none where it is only asked what would become of the items
	 * @throws StepFailed, InputError: then no item is sent
	 */
	begin?(
		candidates: ReadonlyArray<Open<P>>,
		beginning: Beginning,
		renamed?: ReadonlyArray<Renamed<P>>,
	): Promise<void> | void;
	/**
	 * Called for one item after the other, in order; the answers may come later, in any order.
	 *
	 * @param isClosed whether the run has been stopped: nothing new may begin
	 * @throws StepFailed: then the run stops here
	 */
	admit(candidate: Open<P>, isClosed: () => boolean): Promise<Admission> | Admission;
	/** After the last item. @returns what the user should know, if something went wrong */
	end?(): Promise<string | undefined>;
}

/** What the stages of a run hear of it, and tell it. */
export interface Door {
	/** Whether the run has been stopped: nothing new may begin. */
	isClosed(): boolean;
	/** An outcome may stop the run. */
	settle(outcome: Outcome): void;
}

/** Leads items through the stages, in order. */
export class Admissions<P extends Prepared> {
	constructor(
		private readonly guards: ReadonlyArray<Stage<P>>,
		private readonly door: Door = { isClosed: () => false, settle: () => {} },
	) {}

	/** @throws StepFailed, InputError where a stage can't begin */
	async begin(
		candidates: ReadonlyArray<Open<P>>,
		beginning: Beginning,
		renamed?: ReadonlyArray<Renamed<P>>,
	): Promise<void> {
		for (const stage of this.guards) await stage.begin?.(candidates, beginning, renamed);
	}

	/**
	 * Leads each item through the stages and, where they admit it, carries it out. Books are told what
	 * became of it. What an earlier try has settled needs no admission: its receipt answers.
	 *
	 * @param carry never throws
	 */
	async each(
		candidates: ReadonlyArray<Open<P>>,
		carry: (candidate: Open<P>) => Promise<Outcome> | Outcome,
		ended: (candidate: Open<P>, outcome: Outcome) => void,
		recovery?: Recovery,
	): Promise<void> {
		await beginInSlices(candidates, async (candidate) => {
			const tickets: Ticket[] = [];
			const refusal = recovery?.isSettled(candidate)
				? undefined
				: await this.refusal(candidate, tickets);
			const outcome = inAll<Outcome>(
				refusal ?? (await carry(candidate)),
				recovery?.wasUnknown(candidate) === true ||
					tickets.some((ticket) => ticket.wasUnknown),
			);
			if (refusal !== undefined) this.door.settle(outcome);
			for (const ticket of tickets) ticket.settle(fateOf(outcome));
			ended(candidate, outcome);
		});
	}

	/** How many the stages let through: the prediction of a run, by stages that write nothing down. */
	async predict(candidates: ReadonlyArray<Open<P>>, beginning: Beginning): Promise<number> {
		const passed: Outcome = { status: 'previewed', fields: {} };
		let count = 0;
		await this.begin(candidates, beginning);
		await this.each(
			candidates,
			() => passed,
			(_, outcome) => (count += outcome === passed ? 1 : 0),
		);
		return count;
	}

	/** @returns what the stages have to say in the end */
	async end(): Promise<string[]> {
		const problems: string[] = [];
		for (const stage of this.guards) problems.push((await stage.end?.()) ?? '');
		return problems.filter(Boolean);
	}

	/**
	 * @param tickets gets those of the stages that the item passed
	 * @returns what keeps the item from being carried out
	 */
	private async refusal(candidate: Open<P>, tickets: Ticket[]): Promise<Outcome | undefined> {
		for (const stage of this.guards) {
			if (this.door.isClosed()) return HELD_BACK;
			try {
				const answer = stage.admit(candidate, () => this.door.isClosed());
				const admission = answer instanceof Promise ? await answer : answer;
				if (admission === undefined) continue;
				if ('outcome' in admission) return admission.outcome;
				tickets.push(admission.ticket);
			} catch (error) {
				return notBegun(failureOf(error));
			}
		}
		return undefined;
	}
}
