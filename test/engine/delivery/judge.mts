/** Compares what happened in the world with what must be true by the model, after every step. */
import type { RunResult } from '../harness.mts';
import { isDoubtful, keyIn, type Arrival, type Circumstances } from './answers.mts';
import { isTestRun, NUMBERS, tagOf, TEST_NUMBER, type Item, type Trouble } from './history.mts';
import {
	canonical,
	isToTestNumber,
	messageOf,
	receiptArrived,
	type Acceptance,
	type Lineage,
	type Model,
	type Slot,
} from './model.mts';
import { listedIn, storedReceipts } from './support.mts';
import type { World } from './world.mts';

/** What must not happen. */
export class Violation extends Error {
	constructor(message: string) {
		super(message);
		this.name = 'Violation';
	}
}

/** @throws Violation where it is so */
export function forbid(isSo: boolean, what: string): void {
	if (isSo) throw new Violation(what);
}

export interface Tally {
	executions: number;
	accepted: number;
	unknown: number;
}

/** What is said of an item. */
interface Report {
	status: string;
	snapshotId?: string;
	/** It says that it is of a test run. */
	test: boolean;
	number?: string;
	wouldSendTo?: string;
	said: string;
}

/** What an agent hears when it has called the node. */
interface Heard {
	asked: Item;
	heard: string;
	arrivals: Arrival[];
}

const LONGEST = 10_000;

/** @throws Violation when it takes too long */
export async function inTime<T>(work: Promise<T>): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new Violation('The execution never ends')), LONGEST);
		// n8n was killed in the middle of it: nobody waits any longer.
		timer.unref();
	});
	try {
		return await Promise.race([work, late]);
	} finally {
		clearTimeout(timer);
	}
}

/** Nothing of this gives the API key away. */
export function checkKey(...shown: Array<string | undefined>): void {
	const found = keyIn(shown.join('\n'));
	forbid(found !== '', `The API key is stored: ${found}`);
}

/** Nothing of this came when all that may send had ended, and never too much at once. */
export function checkArrivals(arrivals: Arrival[], most: number): void {
	for (const { tag, isLate, inFlight } of arrivals) {
		forbid(isLate, `${tag} was sent after its execution had ended`);
		forbid(inFlight > most, `${inFlight} requests under way, at most ${most} are allowed`);
	}
}

export class Judge {
	/** What the service accepted in the last step. */
	private latest: Acceptance[] = [];

	constructor(
		private readonly world: World,
		private readonly model: Model,
		private readonly tally: Tally,
	) {}

	/** What a trial leaves alone. */
	private written(): { messages: number; keys: string } {
		const { entries, sim } = this.world;
		const real = sim.messages.filter(({ number }) => number !== TEST_NUMBER);
		return { messages: real.length, keys: entries.join() };
	}

	/** @returns what is to come after the execution */
	watchTrial({ id, options }: Lineage, { store, stop }: Trouble): () => void {
		if (options.trial === 'none') return () => {};
		const before = this.written();
		return () => {
			const { messages, keys } = this.written();
			forbid(messages !== before.messages, `${id} is a trial, and texts real recipients`);
			// A dry run asks the store, which can't be done without writing: where that fails in the
			// middle, what was written to ask can stay, and is in doubt. A test run has nothing to do
			// with the store.
			const isSure = options.trial !== 'dry' || (store === null && stop === null);
			forbid(isSure && keys !== before.keys, `${id} is a trial, and writes keys: ${keys}`);
		};
	}

	/** Nobody got two of the same (guarantee 4), and nothing but what was meant. */
	receive(lineages: Lineage[], circumstances: Circumstances): void {
		const { model } = this;
		for (const lineage of lineages) model.doubt(lineage, circumstances);
		const most = lineages.reduce((sum, { options }) => sum + options.concurrency, 0);
		checkArrivals(circumstances.arrivals, most);
		const slots = lineages.flatMap((lineage) => model.slotsOf(lineage));
		const before = model.acceptances.length;
		/** The one item of each run that goes to the test number. */
		const onTrial = new Map<string, string>();
		for (const arrival of circumstances.arrivals) {
			const { message: sent, tag } = arrival;
			const slot = slots.find((one) => one.tag === tag);
			if (slot === undefined) throw new Violation(`${tag} was sent, which nobody asked for`);
			const { lineage, options, run } = slot;
			const isShown = options.trial === 'dry' || options.trial === 'preview';
			forbid(isShown, `${tag} is only to be shown, and asks the service to send`);
			if (options.trial === 'testNumber') {
				const first = onTrial.get(`${lineage.id} ${run}`) ?? tag;
				forbid(first !== tag, `${tag} is sent on trial after ${first}`);
				onTrial.set(`${lineage.id} ${run}`, tag);
			}
			if (sent === undefined) continue;
			const message = `${sent.number} ${sent.text}`;
			forbid(message !== slot.goes, `${tag} is ${slot.goes}, but ${message} was sent`);
			this.tally.accepted++;
			const isRepeatable = lineage.options.resendUnknown;
			const same = model.sameMessages(slot, sent.date).map(({ known }) => known);
			checkRepeated(`${tag} (${message})`, same, isRepeatable);
			const claimed = model.sameClaims(slot).map(({ keyKnown }) => keyKnown);
			checkRepeated(`the key ${slot.key}`, claimed, isRepeatable);
			model.accept(slot, arrival, circumstances);
		}
		this.latest = model.acceptances.slice(before);
	}

	/** What is reported of each item is what happened. */
	check(lineage: Lineage, result: RunResult, interrupted: boolean): void {
		const { error, runs } = result;
		checkKey(JSON.stringify(result.data), error?.message, error?.description, error?.stack);
		const reports = this.reportsOf(lineage, result, interrupted);
		const slots = this.model.slotsOf(lineage);
		const last = runs.length - 1;
		for (const { item, snapshotId } of listedIn(error).accepted ?? []) {
			const slot = slots.find((one) => one.run === last && one.item === item);
			if (slot === undefined) throw new Violation(`the error lists ${item}, which is none`);
			this.checkSnapshot(slot, snapshotId, `the error lists ${slot.tag} as accepted`);
		}
		for (const slot of slots) {
			const report = reports.get(slot.tag);
			if (report === undefined) this.checkSilence(slot, result, interrupted);
			else this.checkReport(slot, report);
		}
		if (lineage.operation === 'sendBatch' && error && !interrupted) {
			const sent = this.latest.filter(
				({ slot }) => slot.lineage === lineage && slot.run === last,
			);
			const said = `The batch throws "${error.message}"`;
			forbid(sent.length > 0, `${said}, though ${sent.length} messages were accepted`);
		}
	}

	/** Of an item with no outcome, the error says that it was accepted, or what is stored does. */
	private checkSilence(slot: Slot, result: RunResult, interrupted: boolean): void {
		const own = this.model.acceptedOf(slot);
		if (own.length === 0) return;
		const { error, runs } = result;
		const isLast = slot.run === runs.length - 1;
		const { accepted, unknown = [] } = listedIn(error);
		const isListed =
			isLast && [...(accepted ?? []), ...unknown].some(({ item }) => item === slot.item);
		const isTheError =
			isLast && error?.context?.itemIndex === slot.item && /unknown/i.test(error.message);
		const isStored = storedReceipts(result).some(
			({ run, item, isTrial }) =>
				run === slot.run &&
				item === slot.item &&
				own.some(({ message }) => isTrial === isToTestNumber(message)),
		);
		const isSaid = isListed || isTheError || isStored;
		forbid(!isSaid, `${nameOf(slot)} was accepted, and nothing says so`);
		const { trial, resendUnknown } = slot.lineage.options;
		// What would be sent again is that in a test run, and nothing else.
		const isShown = trial === 'testNumber' && resendUnknown && own.every(({ known }) => !known);
		if (interrupted || !accepted || !isLast || isListed || isTheError || isShown) return;
		throw new Violation(`${nameOf(slot)} was accepted, and the error doesn't list it`);
	}

	private checkReport(slot: Slot, report: Report): void {
		const { model } = this;
		const { trial, resendUnknown } = slot.options;
		const { status, said, test } = report;
		const own = model.acceptedOf(slot, test);
		const isKnown = own.some(({ known }) => known);
		const reported = `${nameOf(slot)} is reported ${status} (${said})`;
		const refute = (isSo: boolean, what: string) => forbid(isSo, `${reported}, ${what}`);
		this.checkTestFields(slot, report, refute);
		switch (status) {
			case 'sent':
			case 'scheduled':
				this.checkSnapshot(slot, report.snapshotId, reported, test);
				break;
			case 'wouldSend': {
				refute(trial === 'none', 'for real');
				const real = model.acceptedOf(slot, false);
				const isDone = real.some(({ known }) => known || !resendUnknown);
				refute(isDone, 'but it was accepted');
				break;
			}
			case 'unknown':
				this.tally.unknown++;
				refute(isKnown, 'but its receipt arrived');
				refute(!model.mayBeUnknown(slot, test), 'without any doubt about it');
				break;
			case 'skipped':
				refute(own.length > 0 && !model.isReplaced(slot), 'but it was accepted');
				refute(!model.mayBeSkipped(slot), 'without a reason');
				break;
			case 'refused':
			case 'notSent':
				refute(own.length > 0, 'but it was accepted');
				break;
			case 'invalid':
				refute(own.length > 0, 'but it was accepted');
				refute(slot.message !== undefined, 'but nothing is wrong with it');
				break;
			default:
				throw new Violation(`${nameOf(slot)} has no outcome: ${said}`);
		}
	}

	/** What is told of a test run says so and to whom it would go, and nothing else does. */
	private checkTestFields(
		slot: Slot,
		{ status, test, number = '', wouldSendTo = '', said }: Report,
		refute: (isSo: boolean, what: string) => void,
	): void {
		if (!test) return;
		refute(!isTestRun(slot.options), `as a test run: ${said}`);
		refute(status === 'wouldSend', 'and was sent to the test number');
		refute(canonical(wouldSendTo) !== slot.number, `and would go to ${wouldSendTo}`);
		refute(canonical(number) !== TEST_NUMBER, `of ${number}`);
	}

	private checkSnapshot(
		slot: Slot,
		snapshotId: string | undefined,
		reported: string,
		test?: boolean,
	): void {
		const found = this.model.acceptances.find((one) => one.snapshotId === snapshotId);
		if (found === undefined) throw new Violation(`${reported}, but it was not accepted`);
		const isTold = test === undefined || test === isToTestNumber(found.message);
		const isSo = isTold && this.model.isOf(found, slot);
		const told = `${found.slot.tag} (${found.message})`;
		forbid(!isSo, `${reported}, but ${snapshotId} is ${told}`);
	}

	/** By tag. Each input item has exactly one outcome in a run that did not fail. */
	private reportsOf(
		{ id, runs, operation }: Lineage,
		result: RunResult,
		interrupted: boolean,
	): Map<string, Report> {
		const reports = new Map<string, Report>();
		for (const [run, { items, errorItems, failed }] of result.runs.entries()) {
			// n8n itself gives the input on when a node throws; an operation of ours must not let it.
			if (failed && operation !== 'sendBatch') continue;
			const outcomes = [...items, ...errorItems];
			for (const { json, pairedItem, error } of outcomes) {
				const item = (pairedItem as { item: number } | undefined)?.item ?? -1;
				const tag = tagOf(id, run, item);
				forbid(reports.has(tag), `${tag} has two outcomes`);
				const unnamed = (json.snapshotId ?? undefined) === undefined ? 'none' : 'sent';
				reports.set(tag, {
					...(json as Partial<Report>),
					status: typeof json.status === 'string' ? json.status : unnamed,
					test: json.wouldSendTo !== undefined,
					said: String(
						json.reason ?? json.error ?? error?.message ?? JSON.stringify(json),
					),
				});
			}
			if (interrupted || failed) continue;
			const [has, wants] = [outcomes.length, runs[run].length];
			forbid(has !== wants, `${wants} items, but ${has} outcomes`);
		}
		return reports;
	}

	/** The same for an agent. */
	checkCalls(calls: Heard[], stored: string): void {
		checkKey(stored);
		/** Messages that may have gone out, so that an equal one can't be told from a repetition. */
		const open = new Set<string>();
		for (const [index, { asked, heard, arrivals }] of calls.entries()) {
			const accepted = arrivals.filter(({ message }) => message !== undefined);
			const wanted = messageOf(asked);
			const name = `call ${index} of the agent (${wanted})`;
			this.tally.accepted += accepted.length;
			forbid(keyIn(heard) !== '', `${name} hears the API key: ${heard}`);
			for (const { message } of accepted) {
				const got = `${message!.number} ${message!.text}`;
				forbid(got !== wanted, `${name} sent something else`);
			}
			forbid(accepted.length > 1, `${name} was sent ${accepted.length} times`);
			const isAgain = accepted.length > 0 && open.has(wanted);
			forbid(isAgain, `${name} was sent again, though the first may have gone out`);
			forbid(/retry the request/i.test(heard), `${name} is told to retry: ${heard}`);
			const [sent] = accepted;
			const isStopped = this.model.stopped.has(canonical(NUMBERS[asked.to]));
			if (sent !== undefined && receiptArrived(sent)) {
				const isHeard = heard.includes(sent.message!.snapshotId);
				forbid(!isHeard, `${name} was accepted, but the agent hears: ${heard}`);
			} else if (arrivals.some(isDoubtful)) {
				open.add(wanted);
				const isHeard = /unknown/i.test(heard);
				forbid(!isHeard, `${name} may have gone out, but the agent hears: ${heard}`);
			} else if (arrivals.length === 0 && !open.has(wanted) && !isStopped) {
				throw new Violation(`${name} was never tried; the agent hears: ${heard}`);
			}
		}
	}

	// In the end

	/** When all is well again, everything can be delivered. */
	checkDelivered(lineage: Lineage, { error, run }: RunResult): void {
		if (run.status === 'success' || this.isKeyUsedUp(lineage, error?.message)) return;
		throw new Violation(`All is well, but ${lineage.id} fails: ${error?.message}`);
	}

	/** A key whose message is in doubt is used up: nobody can say what became of it. */
	private isKeyUsedUp(lineage: Lineage, said = ''): boolean {
		const { acceptances, doubtfulKeys } = this.model;
		const keys = this.model.slotsOf(lineage).map(({ key }) => key);
		const isDoubtful = keys.some((key) => key !== undefined && doubtfulKeys.has(key));
		const isSent = acceptances.some(({ key }) => key !== undefined && keys.includes(key));
		return /is unknown/.test(said) && (isDoubtful || isSent);
	}

	/** Each key can be used, unless it is in doubt. */
	checkKeys(lineage: Lineage, result: RunResult): void {
		const { doubtfulKeys } = this.model;
		const reports = this.reportsOf(lineage, result, false);
		for (const { tag, key } of this.model.slotsOf(lineage)) {
			const { status, said } = reports.get(tag) ?? {};
			const told = `${status} ${said}`;
			if (status === 'sent' || status === 'skipped') continue;
			forbid(!doubtfulKeys.has(key!), `The key ${key} is blocked: ${told}`);
		}
	}
}

function nameOf({ tag, message }: Slot): string {
	return `${tag} (${message ?? 'invalid'})`;
}

/** @param known of each earlier one: whether the node can't but know that it was accepted */
function checkRepeated(what: string, known: boolean[], isRepeatable: boolean): void {
	forbid(known.length > 0 && !isRepeatable, `${what} was sent twice`);
	forbid(
		known.includes(true),
		`${what} was sent twice, though the first was known to be accepted`,
	);
}
