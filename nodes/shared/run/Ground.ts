import { readPace } from '../fields/pace';
import { answers } from './answers';
import { Carrier } from './carrier';
import type { Entries, Entry, Prepared } from './entries';
import { Gate } from './Gate';
import type { RunHost } from './host';
import type { Definition } from './operation';
import { StepFailed } from './outcome';
import type { StopJudge } from './policy';
import type { Recovery } from './recovery';
import { Client } from './client';
import type { RunSettings } from './settings';
import { upTo } from './spending';

/** What all items of a run share: its settings, its pace, and what is asked or said once. */
export class Ground<P extends Prepared> {
	readonly settings: RunSettings;
	readonly judge: StopJudge;
	readonly carrier: Carrier;
	/** What the user should know of the run, beside its items. */
	readonly notes = new Set<string>();
	/** The same, where the user should look at it. */
	readonly warnings = new Set<string>();
	/** What the user should know first: that the run didn't send for real. */
	trial?: string;
	private readonly shared = new Map<string, Promise<unknown>>();

	/** @throws InputError, StepFailed when the run can't begin */
	constructor(
		private readonly host: RunHost,
		{ policy = answers, request }: Pick<Definition<P>, 'policy' | 'request'>,
		entries: Entries<P>,
		readonly recovery: Recovery,
	) {
		const { problem } = host.connection;
		const { options } = entries;
		this.settings = policy.settings(options);
		const { maxCredits = Infinity } = this.settings;
		const judge = upTo(maxCredits, recovery.creditsUsed, policy.judge(host.continues));
		const gate = new Gate(readPace(options), host.signal);
		this.judge = judge;
		this.carrier = new Carrier(gate, host.timing.retry, (outcome) => judge.stopsAt(outcome));
		// What makes no request needs no credential that works.
		if (problem !== undefined && request !== undefined) throw new StepFailed(problem);
		// Earlier tries may have used all credits.
		this.carrier.settle({ status: 'begun' });
	}

	requestsOf({ index, identity, prepared }: Entry<P>, carrier = this.carrier): Client {
		const { recovery, shared, notes, warnings } = this;
		const { connection } = this.host;
		const { receipts } = recovery;
		const known = recovery.of({ index });
		const isSettled = recovery.isSettled({ index, prepared });
		const resendUnknown = prepared?.resendUnknown === true;
		return new Client(
			{ connection, carrier, receipts, shared, notes, warnings },
			{ index, identity, known, isSettled, resendUnknown },
		);
	}

	/** For what comes after the run, at its pace: a stop of the run doesn't stop it. */
	requestsAfter(entry: Entry<P>): Client {
		const { retry, longestLookUp } = this.host.timing;
		const gate = this.carrier.gate.successor(longestLookUp);
		return this.requestsOf(entry, new Carrier(gate, retry, () => false));
	}
}
