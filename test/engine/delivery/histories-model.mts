/**
 * The promises of the design (guarantees 1 to 6, 9 and 10), judged by what the phones received. The model knows which
 * message each item is, what the service accepted and what nobody can know. It knows nothing of the code.
 */
import type { RunResult } from '../harness.mts';
import { isDoubtful, isReceipt, keyIn, type Arrival } from './answers.mts';
import type { Ending, Execution } from './histories-execution.mts';
import {
	keyOf,
	NEW_NUMBER,
	NEW_TEXT,
	NUMBERS,
	SOMEBODY,
	tagOf,
	TEXTS,
	type Options,
	type RunStep,
} from './histories-steps.mts';
import { listedIn, storedReceipts } from './support.mts';

/** A broken promise. */
export class Violation extends Error {}

function forbid(isSo: boolean, what: string): void {
	if (isSo) throw new Violation(what);
}

/** An execution with its retries: one intention of a user for each of its items. */
export interface Lineage extends Execution {
	/** The options of the runs in a loop that have ended: a retry doesn't repeat these. */
	ended: Options[];
	/** Messages of which an answer was lost. */
	doubtful: Set<string>;
}

/** One item of one run of the node. */
interface Slot {
	lineage: Lineage;
	run: number;
	item: number;
	tag: string;
	/** Of its run. */
	options: Options;
	number: string;
	/** Recipient and text; undefined for an invalid item. */
	message?: string;
	key?: string;
}

/** A message that the service accepted. */
interface Acceptance {
	/** As it was then. */
	slot: Slot;
	message: string;
	credits: number;
	date?: number;
	snapshotId: string;
	/** Its receipt has arrived: the node must know of it. */
	known: boolean;
	/** The same, for the store of once keys. */
	keyKnown: boolean;
}

/** The outcome of an item as the run shows it. */
interface Shown {
	status: string;
	snapshotId?: string;
	said: string;
}

export class Model {
	/** Proof that the histories hold anything. */
	readonly tally = { executions: 0, accepted: 0, unknown: 0 };
	/** Recipients who said STOP. */
	readonly stopped = new Set<string>();
	private lineages: Lineage[] = [];
	private acceptances: Acceptance[] = [];
	/** Nobody can say whether a message with one of these went out. */
	private doubtfulKeys = new Set<string>();

	reset(): void {
		this.lineages = [];
		this.acceptances = [];
		this.doubtfulKeys.clear();
		this.stopped.clear();
	}

	begin({ operation, items, loop, options }: RunStep): Lineage {
		const runs = loop === null ? [items] : [items, loop];
		const id = this.lineages.length + 1;
		this.lineages.push({ id, operation, runs, options, ended: [], doubtful: new Set() });
		return this.lineages.at(-1)!;
	}

	get keys(): Set<number> {
		const keyed = this.lineages.filter(({ options }) => options.onceKeys);
		return new Set(keyed.flatMap(({ runs }) => runs.flat().map(({ key }) => key)));
	}

	/** Compares an execution with what must be true of it. @throws Violation */
	judge(lineage: Lineage, { result, ...ending }: Ending): void {
		this.tally.executions++;
		const slots = this.slotsOf(lineage);
		this.doubt(slots, ending);
		const accepted = this.receive(lineage, slots, ending);
		if (result === undefined) return;
		for (const [index, { failed }] of result.runs.entries()) {
			// n8n repeats the run that failed, and none before it.
			const isRepeated =
				failed && index === result.runs.length - 1 && result.run.status !== 'success';
			if (!isRepeated) lineage.ended[index] ??= lineage.options;
		}
		this.compare(this.slotsOf(lineage), result, ending.interrupted);
		const { error, runs } = result;
		const isBatch = lineage.operation === 'sendBatch' && error && !ending.interrupted;
		const isLost = isBatch && accepted.some(({ slot }) => slot.run === runs.length - 1);
		forbid(isLost === true, `The batch throws "${error?.message}", though it has sent some`);
	}

	private slotsOf(lineage: Lineage): Slot[] {
		return lineage.runs.flatMap((list, run) => {
			const options = lineage.ended[run] ?? lineage.options;
			return list.map(({ to, text, key: order }, item): Slot => {
				let number = canonical(NUMBERS[to]);
				if (number === 'nobody' && options.noNobody) number = SOMEBODY;
				if (options.newNumberOf === item) number = NEW_NUMBER;
				const typed = options.newTextOf === item ? NEW_TEXT : TEXTS[text];
				// With characters that the service takes.
				const sent = typed.replace('’', "'");
				const isRejected = options.unsupported === 'reject' && typed !== sent;
				const message = number === 'nobody' || isRejected ? undefined : `${number} ${sent}`;
				const key = options.onceKeys ? keyOf(order) : undefined;
				const tag = tagOf(lineage.id, run, item);
				return { lineage, run, item, tag, options, number, message, key };
			});
		});
	}

	/** Notes what may have been sent though nobody can say so. */
	private doubt(slots: Slot[], { arrivals, interrupted, storeFailed }: Ending): void {
		for (const { lineage, tag, message, key } of slots) {
			if (storeFailed && key !== undefined) {
				for (const one of this.acceptances) if (one.slot.key === key) one.keyKnown = false;
			}
			const isLost = arrivals.some((one) => one.tag === tag && isDoubtful(one));
			if (!(interrupted || storeFailed || isLost)) continue;
			if (message) lineage.doubtful.add(`${tag} ${message}`);
			if (key) this.doubtfulKeys.add(key);
		}
	}

	/** Nobody got two of the same, nothing but what was meant, and no more than was allowed. */
	private receive(lineage: Lineage, slots: Slot[], ending: Ending): Acceptance[] {
		const { arrivals, interrupted, storeFailed } = ending;
		const before = this.acceptances.length;
		checkArrivals(arrivals, lineage.options.concurrency);
		for (const { tag, message: sent, ...arrival } of arrivals) {
			const slot = slots.find((one) => one.tag === tag);
			if (slot === undefined) throw new Violation(`${tag} was sent, which nobody asked for`);
			if (sent === undefined) continue;
			const message = `${sent.number} ${sent.text}`;
			forbid(message !== slot.message, `${tag} is ${slot.message}, but ${message} was sent`);
			this.tally.accepted++;
			const isRepeatable = lineage.options.resendUnknown;
			const { date, snapshotId, creditsUsed: credits } = sent;
			const same = this.acceptances.filter((one) => isSame(one, slot, date));
			const known = same.map((one) => one.known);
			checkRepeated(`${tag} (${message})`, known, isRepeatable);
			const keyed = this.acceptances.filter(
				({ slot: { key } }) => key !== undefined && key === slot.key,
			);
			const keyKnown = keyed.map((one) => one.keyKnown);
			checkRepeated(`the key ${slot.key}`, keyKnown, isRepeatable);
			const isKnown = isReceipt(arrival) && !interrupted;
			this.acceptances.push({
				...{ slot, message, credits, date, snapshotId },
				known: isKnown,
				keyKnown: isKnown && !storeFailed,
			});
		}
		const spent = this.acceptances
			.filter(({ slot }) => slot.lineage === lineage)
			.reduce((sum, { credits }) => sum + credits, 0);
		const accepted = this.acceptances.slice(before);
		const { maxCredits } = lineage.options;
		const isOver = maxCredits > 0 && accepted.length > 0 && spent > maxCredits;
		forbid(isOver, `${lineage.id} has used ${spent} credits of ${maxCredits}`);
		return accepted;
	}

	/** The outcome that is shown of each item is what happened. */
	private compare(slots: Slot[], result: RunResult, interrupted: boolean): void {
		const { error, runs, data } = result;
		checkKey(JSON.stringify(data), error?.message, error?.description, error?.stack);
		const last = runs.length - 1;
		for (const { item, snapshotId } of listedIn(error).accepted ?? []) {
			const slot = slots.find((one) => one.run === last && one.item === item);
			if (slot === undefined) throw new Violation(`the error lists ${item}, which is none`);
			this.checkSnapshot(slot, snapshotId, `the error lists ${slot.tag} as accepted`);
		}
		const shown = shownIn(slots, result, interrupted);
		for (const slot of slots) {
			const outcome = shown.get(slot.tag);
			if (outcome === undefined) this.checkSilence(slot, result, interrupted);
			else this.checkOutcome(slot, outcome);
		}
	}

	/** Of an item with no outcome, the error says that it was accepted, or the stored receipt does. */
	private checkSilence(slot: Slot, result: RunResult, interrupted: boolean): void {
		const { run, item, tag } = slot;
		if (!this.acceptances.some((one) => isOwn(one, slot))) return;
		const { error, runs } = result;
		const isLast = run === runs.length - 1;
		const { accepted, unknown = [] } = listedIn(error);
		const isListed =
			isLast &&
			([...(accepted ?? []), ...unknown].some((one) => one.item === item) ||
				(error?.context?.itemIndex === item && /unknown/i.test(error.message)));
		const isStored = storedReceipts(result).some((one) => one.run === run && one.item === item);
		forbid(!isListed && !isStored, `${tag} was accepted, and nothing says so`);
		const isLeftOut = !interrupted && isLast && accepted !== undefined && !isListed;
		forbid(isLeftOut, `${tag} was accepted, and the error doesn't list it`);
	}

	private checkOutcome(slot: Slot, { status, snapshotId, said }: Shown): void {
		const { lineage, tag, key, message } = slot;
		const own = this.acceptances.filter((one) => isOwn(one, slot));
		const shown = `${tag} (${message ?? 'invalid'}) is shown as ${status} (${said})`;
		const refute = (isSo: boolean, what: string) => forbid(isSo, `${shown}, ${what}`);
		switch (status) {
			case 'sent':
			case 'scheduled':
				return this.checkSnapshot(slot, snapshotId, shown);
			case 'unknown': {
				this.tally.unknown++;
				const known = own.some((one) => one.known);
				refute(known, 'but its receipt arrived');
				const isInDoubt =
					own.length > 0 ||
					lineage.doubtful.has(`${tag} ${message}`) ||
					(key !== undefined && this.doubtfulKeys.has(key)) ||
					this.isDuplicate(slot);
				return refute(!isInDoubt, 'without any doubt about it');
			}
			case 'skipped': {
				const isKeyUsed =
					key !== undefined && this.acceptances.some((one) => one.slot.key === key);
				const isReplaced = isKeyUsed || this.isDuplicate(slot);
				refute(own.length > 0 && !isReplaced, 'but it was accepted');
				const isSkipped =
					isReplaced ||
					(key !== undefined && this.besides(slot).some((one) => one.key === key)) ||
					(slot.options.skipBlacklisted && this.stopped.has(slot.number));
				return refute(!isSkipped, 'without a reason');
			}
			case 'refused':
			case 'notSent':
				return refute(own.length > 0, 'but it was accepted');
			case 'invalid':
				refute(own.length > 0, 'but it was accepted');
				return refute(message !== undefined, 'but nothing is wrong with it');
			default:
				throw new Violation(`${shown}, which is no outcome`);
		}
	}

	/** The snapshot is that of the item's message, or of the one that it is a duplicate of. */
	private checkSnapshot(slot: Slot, snapshotId: string | undefined, shown: string): void {
		const found = this.acceptances.find((one) => one.snapshotId === snapshotId);
		if (found === undefined) throw new Violation(`${shown}, but it was not accepted`);
		const { lineage, tag, message } = slot;
		const isDuplicate = lineage.options.skipDuplicates && found.slot.lineage === lineage;
		const isIts = found.message === message && (found.slot.tag === tag || isDuplicate);
		forbid(!isIts, `${shown}, but ${snapshotId} is ${found.slot.tag} (${found.message})`);
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

	/** All is well again: everything can be delivered. */
	checkDelivered(lineage: Lineage, { error, run }: RunResult): void {
		if (run.status === 'success') return;
		// A key whose message is in doubt is used up: nobody can say what became of it.
		const keys = this.slotsOf(lineage).flatMap(({ key }) => key ?? []);
		const used = new Set(this.acceptances.map(({ slot }) => slot.key));
		const isUsedUp = keys.some((key) => this.doubtfulKeys.has(key) || used.has(key));
		if (isUsedUp && error !== undefined && error.message.includes('is unknown')) return;
		throw new Violation(`All is well, but ${lineage.id} fails: ${error?.message}`);
	}

	/** Each key can be used, unless it is in doubt. */
	checkKeys(lineage: Lineage, result: RunResult): void {
		const slots = this.slotsOf(lineage);
		const shown = shownIn(slots, result, false);
		for (const { tag, key } of slots) {
			const { status, said } = shown.get(tag) ?? {};
			if (status === 'sent' || status === 'skipped' || this.doubtfulKeys.has(key!)) continue;
			throw new Violation(`The key ${key} is blocked: ${status} ${said}`);
		}
	}
}

/** By tag. Each input item has exactly one outcome in a run that did not fail. */
function shownIn(slots: Slot[], result: RunResult, interrupted: boolean): Map<string, Shown> {
	const shown = new Map<string, Shown>();
	for (const [run, { items, errorItems, failed }] of result.runs.entries()) {
		const [{ lineage }] = slots;
		// n8n itself gives the input on when a node throws; a batch must not let it.
		if (failed && lineage.operation !== 'sendBatch') continue;
		const outcomes = [...items, ...errorItems];
		for (const { json, pairedItem, error } of outcomes) {
			const { item } = (pairedItem ?? { item: -1 }) as { item: number };
			const tag = tagOf(lineage.id, run, item);
			forbid(shown.has(tag), `${tag} has two outcomes`);
			shown.set(tag, {
				status: String(json.status),
				snapshotId: json.snapshotId as string | undefined,
				said: String(json.reason ?? json.error ?? error?.message ?? JSON.stringify(json)),
			});
		}
		const wanted = lineage.runs[run].length;
		const isComplete = interrupted || failed || outcomes.length === wanted;
		forbid(!isComplete, `${wanted} items, but ${outcomes.length} outcomes`);
	}
	return shown;
}

/** Nothing of this gives the API key away. */
function checkKey(...shown: Array<string | undefined>): void {
	const found = keyIn(shown.join('\n'));
	forbid(found !== '', `The API key is stored: ${found}`);
}

/** None of them came when its execution had ended, and never too many at once. */
export function checkArrivals(arrivals: Arrival[], most: number): void {
	for (const { tag, isLate, inFlight } of arrivals) {
		forbid(isLate, `${tag} was sent after its execution had ended`);
		forbid(inFlight > most, `${inFlight} requests in flight, at most ${most} are allowed`);
	}
}

/** @param known of each earlier one: whether the node must know that it was accepted */
function checkRepeated(what: string, known: boolean[], isRepeatable: boolean): void {
	forbid(known.length > 0 && !isRepeatable, `${what} was sent twice`);
	forbid(known.includes(true), `${what} was sent twice, though the first was known`);
}

const isOwn = (one: Acceptance, { tag, message }: Slot) =>
	one.slot.tag === tag && one.message === message;

/** Whether a message of this slot is that one again. */
function isSame({ slot, message, date: then }: Acceptance, asked: Slot, date?: number): boolean {
	if (message !== asked.message) return false;
	if (slot.tag === asked.tag) return true;
	// The same text at another time is a reminder, not a duplicate.
	const isSibling = slot.lineage === asked.lineage && slot.run === asked.run && then === date;
	return asked.lineage.options.skipDuplicates && isSibling;
}

/** International format. */
export function canonical(number: string): string {
	return number.replace(/ /g, '').replace(/^0/, '+33');
}
