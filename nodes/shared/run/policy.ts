import type { Failure } from '../http/failure';
import type { Options } from '../service/choices';
import { isFailure, type Outcome, type Ticket } from './outcome';
import type { Prepared } from './operation';
import type { Requests } from './Requests';

/** An item on its way to being carried out. */
export interface Candidate<P extends Prepared = Prepared> {
	index: number;
	prepared: P;
	/** Checksum of what a duplicate has in common with it, where duplicates are to be skipped. */
	duplicate?: string;
}

/** What a stage can look at before the first item. */
export interface Beginning {
	requests: Requests;
	/** What an earlier try of this execution made, or may have, by its `duplicate`: the item. */
	madeBefore: ReadonlyMap<string, number>;
	/** Whether an item needs no admission: its receipt of an earlier try answers. */
	isAnswered(index: number): boolean;
}

/**
 * What a stage says of an item: that it does not go; who keeps books about it; or the number to which
 * it goes on trial, past all further stages. Nothing: it goes.
 */
export type Admission = { outcome: Outcome } | { ticket: Ticket } | { trialTo: string } | undefined;

/** Something that an item has to pass before it is carried out, such as a blacklist. */
export interface Stage<P extends Prepared = Prepared> {
	/**
	 * Before the first item.
	 *
	 * @throws StepFailed: then no item goes
	 */
	begin?(candidates: ReadonlyArray<Candidate<P>>, beginning: Beginning): Promise<void> | void;
	/**
	 * Called for one item after the other, in order; the answers may come later, in any order.
	 *
	 * @param isClosed whether the run has been stopped: nothing new may begin
	 * @throws StepFailed: then the run stops here
	 */
	admit(candidate: Candidate<P>, isClosed: () => boolean): Promise<Admission> | Admission;
	/** After the last item. @returns what the user should know, if something went wrong */
	end?(): Promise<string | undefined>;
}

/** What a user can choose for a run as a whole. */
export interface RunSettings {
	/** What becomes of the others when an item can't be sent: they go all the same, or none does. */
	invalidItems: 'report' | 'stop';
	/** The fields of an input item are kept beside what became of it. */
	includesInput: boolean;
	/** Credits after which nothing more begins. */
	maxCredits?: number;
}

export const DEFAULT_SETTINGS: RunSettings = { invalidItems: 'stop', includesInput: false };

/** When a run stops, and whether what went wrong is an error or a result. */
export interface Policy {
	/**
	 * `error`: the first failure is the error of the run (unless the user continues on fail), and results
	 * are the service's answers. `outcome`: each item tells what became of it, and only what concerns all
	 * of them, with nothing accepted, is an error.
	 */
	failuresAre: 'error' | 'outcome';
	/**
	 * What the user chose for the run as a whole; read from the options of its first item.
	 *
	 * @throws InputError
	 */
	settings?(options: Options): RunSettings;
	/** A judge for one run; the settings are read when it judges. */
	judge(continues: boolean, settings?: () => RunSettings): StopJudge;
}

/** Decides, outcome by outcome, when a run is to stop. */
export interface StopJudge {
	/** Whether this outcome turns away all that has not started. */
	stopsAt(outcome: { status: string; value?: unknown }): boolean;
	/** What stopped the run. */
	readonly stoppedBy: Failure | undefined;
}

/** The first failure stops the run, unless the user continues on fail. */
export const stopAtFirstFailure: Policy = {
	failuresAre: 'error',
	judge: (continues) => ({
		stopsAt: (outcome) => !continues && isFailure(outcome),
		stoppedBy: undefined,
	}),
};

/** Failures in a row, of what seems to concern the whole service, after which the rest isn't tried. */
const SUSPICIOUS_IN_A_ROW = 5;
/** Answers in a row that leave everything open, after which the rest isn't tried. */
const UNKNOWN_IN_A_ROW = 10;

/** What concerns all items stops the run: a bad key at once, a service that is down after a few. */
export const stopWhenAllAreConcerned: Policy = {
	failuresAre: 'outcome',
	judge(_continues, settings) {
		let inARow = 0;
		let credits = 0;
		let stoppedBy: Failure | undefined;
		return {
			stopsAt(outcome) {
				const { maxCredits = Infinity } = settings?.() ?? DEFAULT_SETTINGS;
				credits += creditsOf(outcome.value);
				if (credits >= maxCredits) {
					stoppedBy ??= spent(maxCredits);
					return true;
				}
				if (outcome.status === 'done' || (isFailure(outcome) && saysNo(outcome))) {
					inARow = 0;
					return false;
				}
				// What was skipped, or failed in an earlier try, says nothing about the service.
				if (!isFailure(outcome) || outcome.isEarlier) return false;
				inARow++;
				const limit =
					outcome.general && !outcome.transient
						? 1
						: outcome.status === 'unknown'
							? UNKNOWN_IN_A_ROW
							: SUSPICIOUS_IN_A_ROW;
				if (inARow < limit) return false;
				stoppedBy ??= outcome;
				return true;
			},
			get stoppedBy() {
				return stoppedBy;
			},
		};
	},
};

function creditsOf(value: unknown): number {
	const { creditsUsed } = (value ?? {}) as { creditsUsed?: unknown };
	return typeof creditsUsed === 'number' ? creditsUsed : 0;
}

function spent(maxCredits: number): Failure {
	return {
		status: 'notSent',
		message: `'Max Credits' is reached: ${maxCredits}`,
		advice: "Raise 'Max Credits' under Options, or take it out, and send the rest.",
		transient: false,
		general: false,
	};
}

/** The service itself refused this one item, with a code: it works, and says nothing of the others. */
function saysNo({ status, code, general }: Failure): boolean {
	return status === 'refused' && code !== undefined && !general;
}
