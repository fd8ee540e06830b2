import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { LATEST_DATE } from '../shared/run/recipients';
import { timeHere } from '../shared/http/ServiceClock';
import type { Finding, LookUpDesk, Prepared, Unknown } from '../shared/run/operation';
import { readSwitch, type Options } from '../shared/service/choices';
import { isNothingFound } from '../shared/service/errorCodes';
import { findMessageStatus, STATUS_PATH, type MessageStatus } from '../shared/service/messages';

/** Milliseconds from the end of the run on. */
export const lookUpPolicy = {
	/** When the service is asked. */
	rounds: [0, 2_000, 6_000, 12_000, 19_000],
	longest: 20_000,
	/**
	 * Requests to read the service's clock more closely: each halves what is uncertain, where this computer
	 * is not too busy to make it in time. Twice as many where a message that was seen still can't be told.
	 */
	narrowing: 10,
};

const DISPLAY_NAME = 'Look Up Unknown';

/** For a single send, which is quick unless the user wants this. */
export const lookUpUnknownOption: INodeProperties = {
	displayName: DISPLAY_NAME,
	name: 'lookUpUnknown',
	type: 'boolean',
	default: false,
	description:
		'Whether to look messages up, for up to 20 seconds after the run, when it is unknown whether they were sent',
};

/** For a batch, which does so unless the user turns it off. */
export const lookUpUnknownInBatch: INodeProperties = {
	...lookUpUnknownOption,
	default: true,
	description:
		'Whether to look messages up, for up to 20 seconds after the run, when it is unknown whether they were sent. On unless you turn it off here.',
};

/** @throws InputError */
export function readLookUpUnknown(options: Options, isDefault: boolean): boolean {
	return readSwitch(options, 'lookUpUnknown', DISPLAY_NAME, isDefault);
}

/** A message that may be looked up. */
export interface LookedUpMessage extends Prepared {
	subject: string;
	recipient: string;
	looksUp: boolean;
}

/**
 * Looks messages up whose fate is unknown, by number (interface document 4.4), a few times. *Sent* needs
 * positive evidence: a message that the service dates (`sent`, 2.7) after the attempt by its own clock,
 * that is none of which this execution has a receipt, where no other message to this number is unknown,
 * and no other execution of this process, nor another run or try of this one, has texted it meanwhile.
 * That there is none proves nothing. Never throws.
 */
export async function lookUpUnknown<P extends LookedUpMessage>(
	unknown: ReadonlyArray<Unknown<P>>,
	open: (milliseconds: number) => LookUpDesk,
): Promise<Map<number, Finding>> {
	const isSought = ({ prepared, attempt }: Unknown<P>) =>
		prepared.looksUp && attempt !== undefined;
	if (!unknown.some(isSought)) return new Map();
	const timesUnknown = new Map<string, number>();
	for (const { recipient } of unknown.map(({ prepared }) => prepared)) {
		timesUnknown.set(recipient, (timesUnknown.get(recipient) ?? 0) + 1);
	}
	const isAlone = ({ prepared }: Unknown<P>) => timesUnknown.get(prepared.recipient) === 1;
	const sought = unknown.filter(isSought);
	const lookUp = new LookUp(sought.filter(isAlone), open(lookUpPolicy.longest));
	const findings = await lookUp.run();
	for (const each of sought) {
		if (isAlone(each)) continue;
		findings.set(each.index, {
			seen: 'It was not looked up: another message to the same number is unknown too, and the two could not be told apart.',
		});
	}
	return findings;
}

class LookUp<P extends LookedUpMessage> {
	private readonly findings = new Map<number, Finding>();
	/** The latest message to a number, and when it was first seen, here; without a status, there is none. */
	private readonly shown = new Map<number, { status?: MessageStatus; at: number }>();
	/** The date of a message of this run that was accepted. */
	private sampleSent?: number;
	private rounds = 0;
	private narrowing = 0;

	constructor(
		private pending: ReadonlyArray<Unknown<P>>,
		private readonly desk: LookUpDesk,
	) {}

	async run(): Promise<Map<number, Finding>> {
		const begun = timeHere();
		const { rounds, longest } = lookUpPolicy;
		for (const [round, time] of rounds.entries()) {
			if (this.pending.length === 0) break;
			if (!(await this.desk.wait(begun + time - timeHere()))) break;
			await this.compareClocks();
			this.rounds++;
			await this.ask(this.pending);
			await this.readClockClosely(begun + (rounds[round + 1] ?? longest));
		}
		for (const each of this.pending) {
			this.findings.set(each.index, { seen: this.seen(each), attempt: this.attemptOf(each) });
		}
		return this.findings;
	}

	private async ask(asked: ReadonlyArray<Unknown<P>>): Promise<void> {
		await Promise.all(
			asked.map(async ({ index, prepared: { subject } }) => {
				const status = await this.statusBy({ identifier: subject });
				if (status === undefined || isSame(status, this.shown.get(index)?.status)) return;
				this.shown.set(index, { ...(status === null ? {} : { status }), at: timeHere() });
			}),
		);
		this.settle();
	}

	/** @returns undefined where the service could not be asked */
	private async statusBy(qs: IDataObject): Promise<MessageStatus | null | undefined> {
		const answer = await this.desk.ask({ url: STATUS_PATH, qs }, findMessageStatus);
		if ('value' in answer) return answer.value.status ?? null;
		return isNothingFound(answer) ? null : undefined;
	}

	/** A message of which there is a receipt tells whether messages are dated by the clock of the Date header. */
	private async compareClocks(): Promise<void> {
		const { sample } = this.desk;
		if (sample === undefined || this.sampleSent !== undefined) return;
		this.sampleSent = (await this.statusBy({ snapshotId: sample.snapshotId }))?.sent;
	}

	/** How far dates of messages are ahead of the Date header; 0 where both are of one clock. */
	private get ahead(): number {
		const { sample, clock } = this.desk;
		if (sample === undefined || this.sampleSent === undefined) return 0;
		return Math.max(0, this.sampleSent - clock.latest(sample.attempt[1]));
	}

	/** How far they are ahead at most, where they certainly are. */
	private get mostAhead(): number {
		const { sample, clock } = this.desk;
		if (this.ahead === 0) return 0;
		return this.sampleSent! - clock.earliest(sample!.attempt[0]);
	}

	/**
	 * How long after the answer was lost a message can be dated that is still taken. Where the clocks were not
	 * compared, an older message could be dated by one that is ahead.
	 */
	private get queued(): number {
		return this.sampleSent === undefined ? 0 : LATEST_DATE;
	}

	/**
	 * Not where a message was seen that is dated later than it was then: that is another clock. Nor where
	 * this computer's clock was set.
	 */
	private get isTrusted(): boolean {
		const { clock } = this.desk;
		if (!clock.isSteady) return false;
		return [...this.shown.values()].every(
			({ status, at }) => (status?.sent ?? 0) <= clock.latest(at) + this.ahead,
		);
	}

	/**
	 * The Date header names seconds only: asks at the turn of a second, until the clock is known closely
	 * enough to judge what is seen, now or at a later try.
	 *
	 * @param end when the next round begins
	 */
	private async readClockClosely(end: number): Promise<void> {
		const { desk } = this;
		while (this.pending.length > 0) {
			if (desk.clock.isExact || !desk.clock.isKnown || !this.isTrusted) break;
			const open = this.pending.find((each) => this.judge(each) === 'open');
			const most = lookUpPolicy.narrowing * (open === undefined ? 1 : 2);
			const now = timeHere();
			const turn = desk.clock.nextTurn(now);
			if (this.narrowing >= most || turn >= end || !(await desk.wait(turn - now))) break;
			this.narrowing++;
			await this.ask([open ?? this.pending[0]]);
		}
	}

	/** Takes out what was found. */
	private settle(): void {
		if (!this.isTrusted) return;
		this.pending = this.pending.filter((each) => {
			if (this.judge(each) !== 'found') return true;
			const snapshotId = String(this.shown.get(each.index)!.status!.id);
			this.findings.set(each.index, { found: { snapshotId, foundBy: 'lookup' } });
			return false;
		});
	}

	/** `open`: it is dated so near to the attempt that the clock has to be known more closely. */
	private judge({
		index,
		prepared,
		attempt,
		isDatedByService,
	}: Unknown<P>): 'found' | 'open' | 'no' {
		const status = this.shown.get(index)?.status;
		const { clock, known } = this.desk;
		if (status?.sent === undefined || status.test === true) return 'no';
		if (known.has(String(status.id))) return 'no';
		const [from, to] = attempt!;
		// What seems to come after the attempt can have come before it, as far as the clock is uncertain.
		const since = isDatedByService ? undefined : from - clock.uncertainty;
		if (this.desk.isContested(prepared.recipient, since)) return 'no';
		if (isDatedByService) return status.sent >= from && status.sent <= to ? 'found' : 'no';
		if (status.sent - this.ahead > clock.latest(to) + this.queued) return 'no';
		const sent = status.sent - this.mostAhead;
		if (sent < clock.earliest(from)) return 'no';
		if (sent >= clock.latest(from) || clock.isExact) return 'found';
		const isLastWord = this.narrowing >= lookUpPolicy.narrowing && clock.isClose;
		return isLastWord && sent >= clock.likely(from) ? 'found' : 'open';
	}

	/** When the service can have dated the message, by its own clock, for a later try. */
	private attemptOf({ attempt, isDatedByService }: Unknown<P>) {
		const { clock } = this.desk;
		if (isDatedByService || attempt === undefined) return attempt;
		if (!clock.isClose || !this.isTrusted) return undefined;
		const [from, to] = attempt;
		const begun = clock.isExact ? clock.earliest(from) : clock.likely(from);
		return [begun + this.mostAhead, clock.latest(to) + this.ahead + this.queued] as const;
	}

	private seen({ index }: Unknown<P>): string {
		const shown = this.shown.get(index);
		const times = this.rounds === 1 ? 'once' : `${this.rounds} times`;
		if (shown === undefined) return 'It could not be looked up: the service gave no answer.';
		const { status } = shown;
		if (status === undefined) {
			return `It was looked up ${times}: the service shows no message to this number, which proves nothing.`;
		}
		const date =
			status.sent === undefined ? '' : `, sent ${new Date(status.sent).toISOString()}`;
		return `It was looked up ${times}: the latest message to this number (snapshot ${status.id}${date}) can't be shown to be this one.`;
	}
}

function isSame(status: MessageStatus | null, earlier: MessageStatus | undefined): boolean {
	return status !== null && status.id === earlier?.id && status.sent === earlier.sent;
}
