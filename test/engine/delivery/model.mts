/**
 * What must be true of a history: from the design (guarantees 1 to 5 and 8) and from what users read of
 * test runs (docs/delivery.md), not from the code. It knows which message each item is, what the service
 * accepted and what nobody can know, and says from these what may be. It knows nothing of n8n.
 */
import { isDoubtful, isReceipt, type Arrival, type Circumstances } from './answers.mts';
import {
	isTestRun,
	keyOf,
	NEW_NUMBER,
	NEW_TEXT,
	NUMBERS,
	SOMEBODY,
	tagOf,
	TEST_NUMBER,
	TEXTS,
	type Execution,
	type Item,
	type Options,
	type RunStep,
} from './history.mts';

/** An execution with its retries: one intention of a user for each of its items. */
export interface Lineage extends Execution {
	/** The options of the runs in a loop that have come to their end: a retry doesn't repeat these. */
	ended: Options[];
	/** Messages for which there was something that leaves open whether they went out. */
	doubtful: Set<string>;
}

/** One item of one run of the node. */
export interface Slot {
	lineage: Lineage;
	run: number;
	item: number;
	tag: string;
	/** Of its run. */
	options: Options;
	number: string;
	/** Recipient and text; undefined for what can't be sent. */
	message?: string;
	/** The same as it may arrive: in a test run, the recipient is the test number. */
	goes?: string;
	key?: string;
}

/** What the service accepted, also what went to the test number: that is another message. */
export interface Acceptance {
	/** As it was then. */
	slot: Slot;
	message: string;
	key?: string;
	date?: number;
	snapshotId: string;
	/** The node can't but know that it was accepted. */
	known: boolean;
	/** The same, for the store of once keys. */
	keyKnown: boolean;
}

export class Model {
	readonly lineages: Lineage[] = [];
	readonly acceptances: Acceptance[] = [];
	/** Nobody can say whether a message with one of these went out. */
	readonly doubtfulKeys = new Set<string>();
	/** Recipients who said STOP, now and at some time. */
	readonly stopped = new Set<string>();
	private readonly everStopped = new Set<string>();
	private count = 0;

	/** A number for an execution. */
	nextId(): number {
		return ++this.count;
	}

	begin({ operation, items, loop, options }: Omit<RunStep, 'trouble'>): Lineage {
		const runs = loop === null ? [items] : [items, loop];
		const id = this.nextId();
		this.lineages.push({ id, operation, runs, options, ended: [], doubtful: new Set() });
		return this.lineages.at(-1)!;
	}

	stop(number: string): void {
		this.stopped.add(canonical(number));
		this.everStopped.add(canonical(number));
	}

	slotsOf(lineage: Lineage): Slot[] {
		return lineage.runs.flatMap((list, run) => {
			const options = lineage.ended[run] ?? lineage.options;
			return list.map((given, item): Slot => {
				let number = canonical(NUMBERS[given.to]);
				if (number === 'nobody' && options.noNobody) number = SOMEBODY;
				if (options.newNumberOf === item) number = NEW_NUMBER;
				const typed = options.newTextOf === item ? NEW_TEXT : TEXTS[given.text];
				const text = plain(typed);
				const isValid =
					number !== 'nobody' && !(options.unsupported === 'reject' && typed !== text);
				const message = isValid ? `${number} ${text}` : undefined;
				const goes =
					isValid && options.trial === 'testNumber' ? `${TEST_NUMBER} ${text}` : message;
				const key = options.onceKeys ? keyOf(given.key) : undefined;
				const tag = tagOf(lineage.id, run, item);
				return { lineage, run, item, tag, options, number, message, goes, key };
			});
		});
	}

	// What happened

	/** Notes what may have been sent though nobody can say so. */
	doubt(
		lineage: Lineage,
		{ arrivals, interrupted, storeFailed, secretFailed }: Circumstances,
	): void {
		for (const { tag, goes, key } of this.slotsOf(lineage)) {
			if (storeFailed && key !== undefined) {
				for (const one of this.acceptances) if (one.key === key) one.keyKnown = false;
			}
			const isAnswerDoubtful = arrivals.some((one) => one.tag === tag && isDoubtful(one));
			if (!(interrupted || storeFailed || secretFailed || isAnswerDoubtful)) continue;
			if (goes) lineage.doubtful.add(`${tag} ${goes}`);
			// A test run claims no key: it leaves none in doubt.
			if (key && !isTestRun(lineage.options)) this.doubtfulKeys.add(key);
		}
	}

	accept(slot: Slot, arrival: Arrival, { interrupted, storeFailed }: Circumstances): void {
		const { date, snapshotId } = arrival.message!;
		const known = receiptArrived(arrival) && !interrupted;
		this.acceptances.push({
			slot,
			message: slot.goes!,
			key: claimOf(slot),
			date,
			snapshotId,
			known,
			keyKnown: known && !storeFailed,
		});
	}

	// What may be

	/** The earlier ones of which a message is the second. */
	sameMessages({ lineage, options, run, tag, goes }: Slot, date?: number): Acceptance[] {
		const isOnce = lineage.options.skipDuplicates && options.trial === 'none';
		return this.acceptances.filter(
			({ slot, message, ...one }) =>
				message === goes &&
				(slot.tag === tag ||
					// The same text at another time is a reminder, not a duplicate.
					(isOnce && slot.lineage === lineage && slot.run === run && one.date === date)),
		);
	}

	/** The same for what it claims: the once key. */
	sameClaims(slot: Slot): Acceptance[] {
		const claim = claimOf(slot);
		return claim === undefined ? [] : this.acceptances.filter(({ key }) => key === claim);
	}

	/** @param isTest what is told is told of a test run; undefined where nothing is */
	acceptedOf({ tag, message, goes }: Slot, isTest?: boolean): Acceptance[] {
		const told = isTest === undefined ? [message, goes] : [isTest ? goes : message];
		return this.acceptances.filter((one) => one.slot.tag === tag && told.includes(one.message));
	}

	/** What was accepted may be told of this item: it is its own, or that of which it is a duplicate. */
	isOf({ slot, message }: Acceptance, { lineage, tag, ...asked }: Slot): boolean {
		const isDuplicate = lineage.options.skipDuplicates && slot.lineage === lineage;
		return (
			(slot.tag === tag || isDuplicate) &&
			(message === asked.message || message === asked.goes)
		);
	}

	mayBeUnknown(slot: Slot, isTest: boolean): boolean {
		const { lineage, tag, key } = slot;
		return (
			this.acceptedOf(slot, isTest).length > 0 ||
			lineage.doubtful.has(`${tag} ${isTest ? slot.goes : slot.message}`) ||
			(key !== undefined && this.doubtfulKeys.has(key)) ||
			this.isDuplicate(slot)
		);
	}

	/** Another one was sent in its place, or may have been. */
	isReplaced(slot: Slot): boolean {
		const isKeyUsed =
			slot.key !== undefined && this.acceptances.some(({ key }) => key === slot.key);
		return isKeyUsed || this.isDuplicate(slot);
	}

	mayBeSkipped(slot: Slot): boolean {
		const { lineage, number, key } = slot;
		return (
			this.isReplaced(slot) ||
			(key !== undefined && this.besides(slot).some((other) => other.key === key)) ||
			(lineage.options.skipBlacklisted && this.everStopped.has(number))
		);
	}

	private isDuplicate(slot: Slot): boolean {
		const { lineage, run, message } = slot;
		if (!lineage.options.skipDuplicates) return false;
		return (
			this.besides(slot).some((other) => other.message === message) ||
			// Also of what an item was in an earlier try, before it was corrected.
			this.acceptances.some(
				(one) =>
					one.message === message && one.slot.lineage === lineage && one.slot.run === run,
			) ||
			[...lineage.doubtful].some((doubt) => doubt.endsWith(` ${message}`))
		);
	}

	/** The other items of its run. */
	private besides({ lineage, run, item }: Slot): Slot[] {
		return this.slotsOf(lineage).filter((other) => other.run === run && other.item !== item);
	}
}

/** The key that it uses up: a trial uses none. */
function claimOf({ options, key }: Slot): string | undefined {
	return options.trial === 'none' ? key : undefined;
}

/** The receipt reached n8n as it should. */
export function receiptArrived(arrival: Arrival): boolean {
	return isReceipt(arrival) && arrival.request.status === 200;
}

export function isToTestNumber(message: string): boolean {
	return message.startsWith(`${TEST_NUMBER} `);
}

/** What an agent asks for. */
export function messageOf({ to, text }: Item): string {
	return `${canonical(NUMBERS[to])} ${plain(TEXTS[text])}`;
}

/** International format. */
export function canonical(number: string): string {
	return number.replace(/ /g, '').replace(/^0/, '+33');
}

/** With characters that the service takes. */
function plain(text: string): string {
	return text.replace('’', "'");
}
