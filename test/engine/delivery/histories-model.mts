/**
 * The promises of the design (guarantees 1 to 6, 9, 10 and 12), judged by what the phones received. The model knows which
 * message each item is, what the service accepted and what nobody can know. It knows nothing of the code.
 */
import type { RunResult } from '../harness.mts';
import { isDoubtful, isReceipt, keyIn, type AnswerName, type Arrival } from './answers.mts';
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
	/** Messages that may have been sent, by slot and recipient: how many had been accepted before, all in all. */
	doubtful: Map<string, number>;
	/** The same, by recipient and text. */
	doubtfulTexts: Set<string>;
	/** Those of them that had a date. */
	dated: Set<string>;
	/** Messages of which an answer was lost. */
	lost: Set<string>;
	/** Texts by slot and recipient that an earlier try has left out as duplicates: a retry does so, too. */
	duplicates: Map<string, string>;
	/** An earlier execution of it has sent something, and was not broken off. */
	hasBegun: boolean;
	/** The same, where it may have been broken off. */
	mayHaveBegun: boolean;
}

/** One item of one run of the node. */
interface Slot {
	lineage: Lineage;
	run: number;
	item: number;
	tag: string;
	/** Slot and recipient: what is the same message in a retry. */
	id: string;
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
	at: number;
	/** It has a date, until which the service doesn't show it. */
	isLater: boolean;
	snapshotId: string;
	/** Its receipt has arrived: the node must know of it. */
	known: boolean;
}

/** The outcome of an item as the run shows it. */
interface Shown {
	status: string;
	snapshotId?: string;
	said: string;
}

/** These say nothing of the account or the service: the others are sent. */
const OF_ONE_ITEM = new Set<AnswerName>([
	...(['ok', 'slow', '429', '503 Retry-After 0', '400 code 12', '400 code 19'] as const),
	...(['200 code 12', '500 code 31'] as const),
]);

/** Another message with the same number and text would be refused as well. */
const OF_NUMBER_OR_TEXT = new Set<AnswerName>([
	...(['400 code 12', '400 code 19', '200 code 12', '500 code 31'] as const),
]);

export class Model {
	/** Proof that the histories hold anything. */
	readonly tally = { executions: 0, accepted: 0, unknown: 0, lookedUp: 0, resent: 0 };
	/** Recipients who said STOP. */
	readonly stopped = new Set<string>();
	private lineages: Lineage[] = [];
	private acceptances: Acceptance[] = [];
	/** Nobody can say whether a message with one of these went out. */
	private doubtfulKeys = new Set<string>();
	/** Their messages were found by a look-up, or may have been. */
	private foundKeys = new Set<string>();

	reset(): void {
		this.lineages = [];
		this.acceptances = [];
		this.doubtfulKeys.clear();
		this.foundKeys.clear();
		this.stopped.clear();
	}

	begin({ operation, items, loop, options }: RunStep): Lineage {
		const runs = loop === null ? [items] : [items, loop];
		const id = this.lineages.length + 1;
		const nothing = {
			doubtful: new Map(),
			doubtfulTexts: new Set<string>(),
			dated: new Set<string>(),
			lost: new Set<string>(),
			duplicates: new Map<string, string>(),
		};
		this.lineages.push({
			id,
			operation,
			runs,
			options,
			ended: [],
			...nothing,
			hasBegun: false,
			mayHaveBegun: false,
		});
		return this.lineages.at(-1)!;
	}

	get keys(): Set<number> {
		const keyed = this.lineages.filter(({ options }) => options.onceKeys);
		return new Set(keyed.flatMap(({ runs }) => runs.flat().map(({ key }) => key)));
	}

	/**
	 * Compares an execution with what must be true of it.
	 *
	 * @param isRetry a person retries it
	 * @throws Violation
	 */
	judge(lineage: Lineage, ending: Ending, isRetry: boolean): void {
		this.tally.executions++;
		const { result, interrupted, arrivals } = ending;
		const slots = this.slotsOf(lineage);
		this.checkRepeats(slots, ending, isRetry);
		this.doubt(slots, ending);
		const accepted = this.receive(lineage, slots, ending, isRetry);
		this.keepDuplicates(slots);
		const { hasBegun: begun, mayHaveBegun } = lineage;
		lineage.mayHaveBegun ||= arrivals.length > 0;
		if (result === undefined) return;
		lineage.hasBegun ||= arrivals.length > 0 && !interrupted;
		for (const [index, { failed }] of result.runs.entries()) {
			// n8n repeats the run that failed, and none before it.
			const isRepeated =
				failed && index === result.runs.length - 1 && result.run.status !== 'success';
			if (!isRepeated) lineage.ended[index] ??= lineage.options;
		}
		this.compare(this.slotsOf(lineage), result, interrupted);
		const { error, runs } = result;
		const isLoud =
			lineage.options.failIfIncomplete ||
			(mayHaveBegun && lineage.options.invalidItems === 'stop');
		const isBatch = lineage.operation === 'sendBatch' && error && !interrupted && !isLoud;
		const isLost = isBatch && accepted.some(({ slot }) => slot.run === runs.length - 1);
		forbid(isLost === true, `The batch throws "${error?.message}", though it has sent some`);
		if (isRetry && begun) this.checkAllTried(slots, ending);
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
				return {
					lineage,
					run,
					item,
					tag,
					id: `${tag} ${number}`,
					options,
					number,
					message,
					key,
				};
			});
		});
	}

	/** Unknown messages are sent again by a person's retry with the option only, and once. */
	private checkRepeats(slots: Slot[], { arrivals }: Ending, isRetry: boolean): void {
		const lost = new Set<string>();
		for (const arrival of arrivals) {
			const slot = slots.find(({ tag }) => tag === arrival.tag);
			if (slot === undefined) continue;
			const { id, lineage, options } = slot;
			forbid(lost.has(id), `${id} was sent again by the execution that had lost its answer`);
			const mayRepeat = isRetry && options.resendUnknown;
			const isRepeated =
				lineage.lost.has(id) &&
				!this.acceptances.some((one) => one.slot.id === id && one.known);
			forbid(isRepeated && !mayRepeat, `${id} is unknown, and was sent again`);
			if (isRepeated) this.tally.resent++;
			if (isDoubtful(arrival)) lost.add(id);
		}
		for (const id of lost) slots[0].lineage.lost.add(id);
	}

	/** Notes what may have been sent though nobody can say so. */
	private doubt(slots: Slot[], { arrivals, interrupted, storeFailed }: Ending): void {
		for (const { lineage, tag, id, message, key, options } of slots) {
			const isLost = arrivals.some((one) => one.tag === tag && isDoubtful(one));
			if (!(interrupted || storeFailed || isLost)) continue;
			if (key && interrupted && lineage.doubtful.has(id)) this.foundKeys.add(key);
			if (message) {
				lineage.doubtfulTexts.add(message);
				if (!lineage.doubtful.has(id)) lineage.doubtful.set(id, this.acceptances.length);
			}
			if (options.date !== 'none') lineage.dated.add(id);
			if (key) this.doubtfulKeys.add(key);
		}
	}

	/** Nobody got two of the same, nothing but what was meant, and no more than was allowed. */
	private receive(
		lineage: Lineage,
		slots: Slot[],
		ending: Ending,
		isRetry: boolean,
	): Acceptance[] {
		const { arrivals, interrupted, trouble } = ending;
		const earlier = [...this.acceptances];
		checkArrivals(arrivals, lineage.options.concurrency);
		for (const { tag, message: sent, ...arrival } of arrivals) {
			const slot = slots.find((one) => one.tag === tag);
			if (slot === undefined) throw new Violation(`${tag} was sent, which nobody asked for`);
			if (sent === undefined) continue;
			const message = `${sent.number} ${sent.text}`;
			forbid(message !== slot.message, `${tag} is ${slot.message}, but ${message} was sent`);
			this.tally.accepted++;
			// The service has hidden from the look-up what it had accepted: the last message to the number is for later.
			const isHidden =
				trouble.lookUps === 'hide' ||
				earlier.findLast((one) => one.slot.number === slot.number)?.isLater;
			const mayRepeat = isRetry && lineage.options.resendUnknown && isHidden;
			for (const one of this.acceptances) {
				const isOwn = one.slot.id === slot.id;
				const isKeyed = slot.key !== undefined && one.slot.key === slot.key;
				if (!isOwn && !isKeyed && !isDuplicateOf(one, slot)) continue;
				const isExcused = isOwn && mayRepeat && !one.known;
				forbid(
					!isExcused,
					`${slot.id} (${message}, ${slot.key}) was sent after ${one.slot.id} (${one.message})`,
				);
			}
			const { acceptedAt: at, snapshotId, creditsUsed: credits } = sent;
			const isLater = sent.date !== undefined;
			const known = isReceipt(arrival) && !interrupted;
			this.acceptances.push({ slot, message, credits, at, isLater, snapshotId, known });
		}
		const spent = this.acceptances
			.filter(({ slot }) => slot.lineage === lineage)
			.reduce((sum, { credits }) => sum + credits, 0);
		const accepted = this.acceptances.slice(earlier.length);
		const { maxCredits } = lineage.options;
		const isOver = maxCredits > 0 && accepted.length > 0 && spent > maxCredits;
		forbid(isOver, `${lineage.id} has used ${spent} credits of ${maxCredits}`);
		return accepted;
	}

	/** A retry leaves out nothing that can be sent: what is wrong with one item doesn't hold up the others. */
	private checkAllTried(slots: Slot[], ending: Ending): void {
		const { result, interrupted, storeFailed, arrivals, trouble } = ending;
		const isCalm =
			!(interrupted || storeFailed) &&
			trouble.credits === null &&
			trouble.store === null &&
			arrivals.every((one) => OF_ONE_ITEM.has(one.answer) || isDoubtful(one));
		if (!isCalm) return;
		for (const slot of slots) {
			const { run, tag, id, lineage, key, message, number, options } = slot;
			if (run !== result!.runs.length - 1 || message === undefined || options.maxCredits > 0)
				continue;
			const isSettled =
				arrivals.some((one) => one.tag === tag) ||
				this.acceptances.some((one) => one.slot.id === id) ||
				lineage.doubtful.has(id) ||
				(key !== undefined && this.isUsed(key)) ||
				this.isDuplicate(slot) ||
				this.failsLikeOthers(slot, arrivals) ||
				(options.skipBlacklisted && this.stopped.has(number));
			forbid(!isSettled, `${id} was not even tried by a retry`);
		}
	}

	/** The outcome that is shown of each item is what happened. */
	private compare(slots: Slot[], result: RunResult, interrupted: boolean): void {
		const { error, data } = result;
		checkKey(JSON.stringify(data), error?.message, error?.description, error?.stack);
		if (!interrupted) checkCounts(result);
		const shown = shownIn(slots, result, interrupted);
		for (const slot of slots) {
			const outcome = shown.get(slot.tag);
			if (outcome === undefined) this.checkSilence(slot, result, interrupted);
			else this.checkOutcome(slot, outcome);
		}
		if (interrupted || result.run.status !== 'success') return;
		for (const { run, tag, lineage, options } of slots) {
			const isQuiet = lineage.operation !== 'sendBatch' || !options.failIfIncomplete;
			const isLast = run === result.runs.length - 1;
			if (isQuiet || !isLast || options.onError !== 'stopWorkflow') continue;
			const { status = '', said } = shown.get(tag) ?? {};
			forbid(
				!SETTLED.includes(status),
				`${tag} is ${status} (${said}), and the run succeeds`,
			);
		}
	}

	/** The stored receipt of an item without an outcome says that it was accepted. */
	private checkSilence(slot: Slot, result: RunResult, interrupted: boolean): void {
		const { run, item, tag, id } = slot;
		if (!this.acceptances.some((one) => one.slot.id === id)) return;
		const isStored = storedReceipts(result).some((one) => one.run === run && one.item === item);
		forbid(!isStored, `${tag} was accepted, and nothing says so`);
		const isLast =
			run === result.runs.length - 1 && listedIn(result.error).accepted !== undefined;
		forbid(!interrupted && isLast, `${tag} was accepted, and the error doesn't list it`);
	}

	private checkOutcome(slot: Slot, { status, snapshotId, said }: Shown): void {
		const { lineage, tag, id, key, message } = slot;
		const own = this.acceptances.filter((one) => one.slot.id === id);
		const shown = `${tag} (${message ?? 'invalid'}) is shown as ${status} (${said})`;
		const refute = (isSo: boolean, what: string) => forbid(isSo, `${shown}, ${what}`);
		switch (status) {
			case 'sent':
			case 'scheduled':
				return this.checkSnapshot(slot, snapshotId, shown);
			case 'unknown': {
				this.tally.unknown++;
				refute(
					own.some((one) => one.known),
					'but its receipt arrived',
				);
				const isInDoubt =
					own.length > 0 ||
					lineage.doubtful.has(id) ||
					(key !== undefined && this.doubtfulKeys.has(key));
				return refute(!isInDoubt, 'without any doubt about it');
			}
			case 'skipped': {
				const isReplaced =
					this.isDuplicate(slot) || (key !== undefined && this.isSent(key));
				refute(own.length > 0 && !isReplaced, 'but it was accepted');
				const isSkipped =
					isReplaced ||
					// The other item with the key may have been sent.
					(key !== undefined &&
						this.doubtfulKeys.has(key) &&
						this.besides(slot).some((one) => one.key === key)) ||
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

	/** The snapshot is that of the item's message, or of one that its look-up found. */
	private checkSnapshot(
		{ id, lineage, number, key }: Slot,
		snapshotId: string | undefined,
		shown: string,
	): void {
		const at = this.acceptances.findIndex((one) => one.snapshotId === snapshotId);
		if (at < 0) throw new Violation(`${shown}, but it was not accepted`);
		const found = this.acceptances[at];
		if (found.slot.id === id) {
			if (!found.known) this.tally.lookedUp++;
			return;
		}
		// The service tells the last message to a number: one of another execution, too.
		const since = lineage.doubtful.get(id);
		// A time without milliseconds is anywhere in its second; a STOP ends the lifecycle of the message that it answers.
		const isVague = found.at % 1_000 === 0 || this.stopped.has(number);
		const isLater = since !== undefined && (at >= since || isVague);
		const isFound = isLater && found.slot.number === number && found.slot.lineage !== lineage;
		forbid(!isFound, `${shown}, but ${snapshotId} is ${found.slot.id} (${found.message})`);
		if (key !== undefined) this.foundKeys.add(key);
	}

	/** The service has refused the number or the text of the same message, or two of it could not be sent. */
	private failsLikeOthers(slot: Slot, arrivals: readonly Arrival[]): boolean {
		if (!slot.options.skipDuplicates) return false;
		const same = this.besides(slot).filter(({ message }) => message === slot.message);
		const last = same.flatMap(({ tag }) => arrivals.findLast((one) => one.tag === tag) ?? []);
		const isStopped = last.length > 0 && this.stopped.has(slot.number);
		const isRefused = last.some(
			({ answer, request: { status } }) =>
				// A kept character that the service doesn't take is refused without a fault.
				OF_NUMBER_OR_TEXT.has(answer) || (answer === 'ok' && status === 400),
		);
		return last.length > 1 || isStopped || isRefused;
	}

	private keepDuplicates(slots: Slot[]): void {
		for (const slot of slots) {
			const { lineage, id, message } = slot;
			// One that was interrupted may have been left out before.
			const isOwn =
				lineage.lost.has(id) || this.acceptances.some((one) => one.slot.id === id);
			// A text that was corrected since is no duplicate of its own.
			if (message !== undefined && !isOwn && this.isDouble(slot))
				lineage.duplicates.set(id, message);
		}
	}

	/** Another message of its execution with its recipient and text was sent, or may have been. */
	private isDuplicate(slot: Slot): boolean {
		const earlier = slot.lineage.duplicates.get(slot.id);
		const isEarlier = earlier !== undefined && this.isDouble({ ...slot, message: earlier });
		return isEarlier || this.isDouble(slot);
	}

	private isDouble(slot: Slot): boolean {
		const { lineage, message = '' } = slot;
		if (!lineage.options.skipDuplicates) return false;
		const isSent = this.acceptances.some(
			(one) => one.message === message && one.slot.lineage === lineage,
		);
		const isKept = (other: Slot) =>
			other.message === message && other.key !== undefined && this.isUsed(other.key);
		return isSent || lineage.doubtfulTexts.has(message) || this.besides(slot).some(isKept);
	}

	private isSent(key: string): boolean {
		return this.foundKeys.has(key) || this.acceptances.some((one) => one.slot.key === key);
	}

	private isUsed(key: string): boolean {
		return this.doubtfulKeys.has(key) || this.isSent(key);
	}

	/** The other items of its execution. */
	private besides({ lineage, tag }: Slot): Slot[] {
		return this.slotsOf(lineage).filter((other) => other.tag !== tag);
	}

	/** All is well again: everything is delivered, but what no look-up can tell. */
	checkDelivered(lineage: Lineage, result: RunResult): void {
		if (result.run.status === 'success') return;
		const last = result.runs.length - 1;
		const shown = shownIn(this.slotsOf(lineage), result, false);
		let open = 0;
		for (const slot of this.slotsOf(lineage).filter(({ run }) => run === last)) {
			const { status = '', said } = shown.get(slot.tag) ?? {};
			if (SETTLED.includes(status)) continue;
			open++;
			const { id, number, key } = slot;
			// Which of several messages to one phone arrived, all in one second; or whether one did that has a date.
			const isShared =
				this.besides(slot).some((other) => other.number === number) ||
				this.acceptances.some((one) => one.slot.number === number && one.slot.id !== id);
			const isUnclear = lineage.doubtful.has(id) && (isShared || lineage.dated.has(id));
			const isSettled = status === '' && this.isDuplicate(slot);
			const isKept = key !== undefined && this.isUsed(key);
			const isExcused = isUnclear || isKept || isSettled;
			forbid(
				!isExcused,
				`All is well, but ${id} is ${status} (${said}): ${result.error?.message}`,
			);
		}
		forbid(open === 0, `All is well, but ${lineage.id} fails: ${result.error?.message}`);
	}

	/** Each key can be used, unless it is in doubt. */
	checkKeys(lineage: Lineage, result: RunResult): void {
		const slots = this.slotsOf(lineage);
		const shown = shownIn(slots, result, false);
		for (const { tag, key } of slots) {
			const { status, said } = shown.get(tag) ?? {};
			if (status === 'sent' || status === 'skipped' || this.doubtfulKeys.has(key!)) continue;
			const why = said ?? result.error?.message;
			throw new Violation(`The key ${key} is blocked: ${status} ${why}`);
		}
	}
}

/** Nothing is left to do for these. */
const SETTLED = ['sent', 'scheduled', 'skipped'];

/** By tag: each input item has exactly one outcome in a run that did not fail. Else what the error lists. */
function shownIn(slots: Slot[], result: RunResult, interrupted: boolean): Map<string, Shown> {
	const shown = new Map<string, Shown>();
	const [{ lineage }] = slots;
	for (const [run, { items, errorItems, failed }] of result.runs.entries()) {
		// n8n itself gives the input on when a node throws.
		const outcomes = failed ? [] : [...items, ...errorItems];
		for (const { json, pairedItem, error } of outcomes) {
			const { item } = (pairedItem ?? { item: -1 }) as { item: number };
			const tag = tagOf(lineage.id, run, item);
			forbid(shown.has(tag), `${tag} has two outcomes`);
			shown.set(tag, {
				status: String(json.status),
				snapshotId: json.snapshotId as string | undefined,
				said: String(json.reason || json.error || error?.message || JSON.stringify(json)),
			});
		}
		const wanted = lineage.runs[run].length;
		const isComplete = interrupted || failed || outcomes.length === wanted;
		forbid(!isComplete, `${wanted} items, but ${outcomes.length} outcomes`);
	}
	const { accepted = [], unknown = [] } = listedIn(result.error);
	const said = `the error: ${result.error?.message}`;
	const last = result.runs.length - 1;
	for (const { item, snapshotId } of accepted)
		shown.set(tagOf(lineage.id, last, item), { status: 'sent', snapshotId, said });
	for (const { item } of unknown)
		shown.set(tagOf(lineage.id, last, item), { status: 'unknown', said });
	return shown;
}

/** The counts of the headline are those of what is listed below it. */
function checkCounts({ error }: RunResult): void {
	const { accepted = [], unknown = [] } = listedIn(error);
	if (!/^\d+ of \d+ (sent|scheduled)/.test(error?.message ?? '')) return;
	const count = (what: RegExp) => Number(what.exec(error!.message)?.[1] ?? 0);
	const done = count(/^(\d+) of/) + count(/, (\d+) scheduled/);
	const isRight = done === accepted.length && count(/, (\d+) unknown/) === unknown.length;
	forbid(
		!isRight,
		`"${error!.message}", but ${accepted.length} and ${unknown.length} are listed`,
	);
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

/** @returns whether a message of this slot would be that one again, for another item of its execution */
function isDuplicateOf({ slot, message }: Acceptance, asked: Slot): boolean {
	const { skipDuplicates } = asked.lineage.options;
	return skipDuplicates && slot.lineage === asked.lineage && message === asked.message;
}

/** International format. */
export function canonical(number: string): string {
	return number.replace(/ /g, '').replace(/^0/, '+33');
}
