import type { IContextObject, IDataObject, IExecuteFunctions, INode } from 'n8n-workflow';
import type { Connection } from '../http/connection';
import type { Failure } from '../http/failure';
import { judgeError } from '../http/judge';
import { retryPolicy } from '../http/retry';
import { ServiceClock } from '../http/ServiceClock';
import { readPace } from '../fields/pace';
import { InputError } from '../service/InputError';
import { Delivery } from './Delivery';
import { fingerprint } from './fingerprint';
import { Gate } from './Gate';
import type { Definition, Finding, Item, LookUpDesk, Prepared, Unknown } from './operation';
import {
	EARLIER_UNKNOWN,
	FOUND_TOO_LATE,
	fateOf,
	isFailure,
	notBegun,
	NOT_STARTED,
	StepFailed,
	stillUnknown,
	type Outcome,
	type Ticket,
} from './outcome';
import {
	DEFAULT_SETTINGS,
	stopAtFirstFailure,
	type Admission,
	type Candidate,
	type Stage,
} from './policy';
import { Progress } from './Progress';
import { Receipts, TRIAL, type Identity, type Receipt } from './Receipts';
import { recipients, type Sender } from './recipients';
import { deedOf, report, type Report } from './report';
import { Requests, type RunOfRequests } from './Requests';
import { beginInSlices } from './slices';
import { testFields } from './testRun';

/**
 * Items that are on their way at once, most of them waiting at the gate or for a stage, at some KB each. More
 * than once keys claim in one call.
 */
const MOST_UNDER_WAY = 2_500;

/** What a run needs to know of n8n, whatever runs the node. */
export interface RunHost {
	node: INode;
	/** The user has chosen to continue on fail. */
	continues: boolean;
	runIndex: number;
	/** An agent invokes the node as a tool. */
	isTool: boolean;
	/** n8n's node context: it survives Retry On Fail and "Retry execution". */
	memory: IContextObject;
	signal: AbortSignal | undefined;
	connection: Connection;
	/** n8n's context of a custom operation. */
	context: IExecuteFunctions | undefined;
	/** Someone tries the workflow out in the editor. */
	isManual: boolean;
	/** Writes into n8n's log. */
	log: (text: string) => void;
}

/** One item of the run. */
export interface Entry<P extends Prepared> {
	index: number;
	item: Item;
	prepared?: P;
	/** What tells at a retry whether it was made before. */
	identity: Identity;
	outcome?: Outcome;
	/** It went to a test number. */
	isTrial?: boolean;
}

/**
 * One run of an operation, whatever runs it: all items are read and checked, admitted by the stages,
 * carried out through one Delivery, and reported. The only place that knows this order.
 */
export class Run<P extends Prepared> {
	private readonly entries = new Map<number, Entry<P>>();
	private readonly shared = new Map<string, Promise<unknown>>();
	private readonly notes = new Set<string>();
	/** In the order in which they happened: an error is about the first. */
	private readonly failed: number[] = [];
	private settings = DEFAULT_SETTINGS;
	/** Of items that are unknown. */
	private readonly openTickets = new Map<number, Ticket[]>();
	private readonly sender: Sender;

	constructor(
		private readonly host: RunHost,
		private readonly definition: Definition<P>,
	) {
		const { memory, runIndex } = host;
		this.sender = { memory, runIndex, id: Symbol() };
	}

	has(index: number): boolean {
		return this.entries.has(index);
	}

	get size(): number {
		return this.entries.size;
	}

	/** Reads and checks one item, without a request. Never throws. */
	register(item: Item): void {
		const intent = this.intentOf(item);
		// With all of its fields from the beginning: V8 needs less for them.
		const entry: Entry<P> = {
			index: item.index,
			item,
			prepared: undefined,
			identity: { essence: undefined, intent },
			outcome: undefined,
			isTrial: false,
		};
		this.entries.set(item.index, entry);
		try {
			const prepared = this.definition.prepare(item);
			const essence = prepared.essence && fingerprint(...prepared.essence);
			entry.prepared = prepared;
			entry.identity = { essence, intent, ...duplicateOf(prepared) };
		} catch (error) {
			entry.outcome = invalid(error);
		}
	}

	/** Carries all registered items out. Never throws. */
	async finish(): Promise<Report> {
		const { host, definition } = this;
		const policy = definition.policy ?? stopAtFirstFailure;
		const judge = policy.judge(host.continues, () => this.settings);
		const { connection } = host;
		const problems: string[] = [];
		let receipts: Receipts | undefined;
		let isRetry = false;
		try {
			receipts = new Receipts(host.memory, host.runIndex, host.isTool);
			isRetry = this.knownOf(receipts).size > 0;
			const started = this.start(connection, receipts, judge.stopsAt.bind(judge));
			this.refuseExpired(receipts);
			if (this.mayGoOn) await this.checkAll(started);
			if (this.mayGoOn) await this.carryOutAll(started, this.stages(), problems);
		} catch (error) {
			// Nothing has left now: what can be thrown here comes before the first item.
			if (receipts !== undefined) this.endKnown(receipts);
			this.endOpen(
				error instanceof InputError
					? { ...invalid(error), general: true }
					: notBegun(failureOf(error)),
			);
		}
		const told = await report({
			node: host.node,
			runIndex: host.runIndex,
			continues: host.continues,
			failuresAre: policy.failuresAre,
			settings: this.settings,
			clean: connection.clean,
			entries: [...this.entries.values()].sort((a, b) => a.index - b.index),
			firstFailed: this.failed[0],
			stoppedBy: judge.stoppedBy,
			problems: problems.filter(Boolean),
			notes: [...this.notes],
			isRetry,
			definition,
		});
		if (told.error === undefined) receipts?.handOver();
		return told;
	}

	/** @throws InputError, StepFailed when the run can't begin */
	private start(
		connection: Connection,
		receipts: Receipts,
		stopsAt: (outcome: { status: string }) => boolean,
	): RunOfRequests {
		const { options } = this.first.item;
		this.settings = this.definition.policy?.settings?.(options) ?? DEFAULT_SETTINGS;
		const gate = new Gate(readPace(options), this.host.signal);
		// What makes no request needs no credential that works.
		if (connection.problem && this.definition.request !== undefined) {
			throw new StepFailed(connection.problem);
		}
		return {
			connection,
			delivery: new Delivery(gate, retryPolicy, stopsAt),
			receipts,
			shared: this.shared,
			notes: this.notes,
		};
	}

	/** @throws InputError */
	private stages(): Array<Stage<P>> {
		const { context, isManual, connection } = this.host;
		const { account } = connection;
		const { options } = this.first.item;
		const items = this.entries.size;
		const canRedirect = this.definition.redirect !== undefined;
		return (
			this.definition
				.stages?.({ context, items, options, isManual, canRedirect, account })
				.filter((stage) => stage !== undefined) ?? []
		);
	}

	private get open(): Array<Entry<P> & { prepared: P }> {
		return [...this.entries.values()].filter(isOpen);
	}

	/** The item whose options hold for the whole run: the first one that could be read. */
	private get first(): Entry<P> {
		const entries = [...this.entries.values()];
		return entries.find(({ prepared }) => prepared !== undefined) ?? entries[0];
	}

	/** No item was found that can't go, or the user lets the others go all the same. */
	private get mayGoOn(): boolean {
		if (this.host.continues) return true;
		const isForgiven = this.settings.invalidItems === 'report';
		return [...this.entries.values()].every(
			({ outcome }) => outcome === undefined || (isForgiven && outcome.status === 'invalid'),
		);
	}

	/** What is known of items from an earlier try. */
	private knownOf(receipts: Receipts): Map<Entry<P>, Receipt> {
		const known = new Map<Entry<P>, Receipt>();
		for (const entry of this.entries.values()) {
			const receipt = this.receiptOf(entry, receipts);
			if (receipt !== undefined) known.set(entry, receipt);
		}
		return known;
	}

	/** Where this try can do nothing: what an earlier one has done stays done. */
	private endKnown(receipts: Receipts): void {
		for (const entry of this.open) {
			const receipt = this.receiptOf(entry, receipts);
			if (receipt?.state === 'accepted') {
				this.end(entry, { status: 'done', value: receipt.kept });
			} else if (receipt !== undefined || receipts.hasSteps(entry.index)) {
				this.end(entry, EARLIER_UNKNOWN);
			}
		}
	}

	private endOpen(outcome: Outcome): void {
		for (const entry of this.open) this.end(entry, outcome);
	}

	private end(entry: Entry<P>, outcome: Outcome): void {
		entry.outcome = outcome;
		if (isFailure(outcome) && outcome !== NOT_STARTED) this.failed.push(entry.index);
	}

	/** Checksum of what makes the request, as typed, and of the input item. */
	private intentOf({ json }: Pick<Item, 'json'>): string | undefined {
		const { parameters } = this.host.node;
		const { madeOf } = this.definition;
		return (
			madeOf &&
			fingerprint(
				madeOf.map((name) => parameters[name]),
				json,
			)
		);
	}

	private receiptOf({ index, identity }: Entry<P>, receipts: Receipts): Receipt | undefined {
		return receipts.find(String(index), identity);
	}

	/** What was accepted before, or must not be repeated, needs no admission: its receipt answers. */
	private isAnswered(entry: Entry<P>, receipts: Receipts): boolean {
		const receipt = this.receiptOf(entry, receipts);
		if (receipt === undefined) return false;
		return receipt.state === 'accepted' || entry.prepared?.resendUnknown !== true;
	}

	/** A date may have passed since the message was accepted, but not before. */
	private refuseExpired(receipts: Receipts): void {
		for (const entry of this.open) {
			const { expired } = entry.prepared;
			if (expired === undefined) continue;
			if (this.receiptOf(entry, receipts) === undefined) entry.outcome = invalid(expired);
			else entry.prepared = { ...entry.prepared, resendUnknown: false };
		}
	}

	/**
	 * What goes on trial leaves receipts of its own: none that says anything of the item itself. It is the
	 * same as long as the test number and what makes the item the same one are.
	 */
	private trialRequestsOf(
		started: RunOfRequests,
		{ index }: Entry<P>,
		{ essence, resendUnknown = false }: P,
		number: string,
	): Requests {
		return new Requests(started, {
			index,
			step: TRIAL,
			identity: {
				essence: essence && fingerprint(number, ...essence),
				intent: undefined,
			},
			resendUnknown,
		});
	}

	/** @throws InputError */
	private redirected(prepared: P, number: string): P {
		const { redirect } = this.definition;
		if (redirect === undefined) throw new InputError('This can not be sent to a test number');
		const redirected = redirect(prepared, number);
		return { ...redirected, extra: { ...redirected.extra, ...testFields(prepared) } };
	}

	private requestsOf(started: RunOfRequests, { index, identity, prepared }: Entry<P>): Requests {
		return new Requests(started, {
			index,
			identity,
			resendUnknown: prepared?.resendUnknown === true,
		});
	}

	/** Makes the checks that need the service. */
	private async checkAll(started: RunOfRequests): Promise<void> {
		const { check } = this.definition;
		if (check === undefined) return;
		await Promise.all(
			this.open.map(async (entry) => {
				// What was accepted before has passed its checks; what they look up may be gone by now.
				if (this.receiptOf(entry, started.receipts) !== undefined) return;
				try {
					const requests = this.requestsOf(started, entry);
					entry.prepared = await check(entry.prepared, requests, entry.item);
				} catch (error) {
					this.end(
						entry,
						error instanceof StepFailed ? notBegun(error.failure) : invalid(error),
					);
				}
			}),
		);
	}

	/** @param problems gets what the stages have to say in the end */
	private async carryOutAll(
		started: RunOfRequests,
		stages: Array<Stage<P>>,
		problems: string[],
	): Promise<void> {
		const candidates = this.open.map(
			(entry): Candidate<P> => ({
				index: entry.index,
				prepared: entry.prepared,
				duplicate: entry.identity.duplicate,
			}),
		);
		if (candidates.length === 0) return;
		const { carryOutAll } = this.definition;
		if (carryOutAll !== undefined) {
			await this.carryOutTogether(started, candidates, carryOutAll);
			return;
		}
		const [first] = this.open;
		const progress = new Progress(candidates.length, deedOf(this.definition), this.host.log);
		try {
			for (const stage of stages) {
				await stage.begin?.(candidates, {
					requests: this.requestsOf(started, first),
					madeBefore: this.madeBefore(candidates, started.receipts),
					isAnswered: (index) =>
						this.isAnswered(this.entries.get(index)!, started.receipts),
				});
			}
			await beginInSlices(candidates, MOST_UNDER_WAY, async (candidate) => {
				progress.count(await this.carryOutOne(started, stages, candidate));
			});
		} finally {
			await this.lookUpUnknown(started);
			for (const stage of stages) problems.push((await stage.end?.()) ?? '');
		}
	}

	/** What an earlier try made, or may have, by what its duplicates are recognised by: then and now. */
	private madeBefore(candidates: Array<Candidate<P>>, receipts: Receipts): Map<string, number> {
		const made = receipts.duplicates();
		for (const { index, duplicate } of candidates) {
			if (duplicate === undefined || made.has(duplicate)) continue;
			if (this.receiptOf(this.entries.get(index)!, receipts)) made.set(duplicate, index);
		}
		return made;
	}

	private async carryOutOne(
		started: RunOfRequests,
		stages: Array<Stage<P>>,
		candidate: Candidate<P>,
	): Promise<Outcome> {
		const entry = this.entries.get(candidate.index)!;
		const receipt = this.receiptOf(entry, started.receipts);
		const { prepared } = candidate;
		const { carryOut } = this.definition;
		const isAnswered = this.isAnswered(entry, started.receipts);
		const tickets: Ticket[] = [];
		let outcome: Outcome;
		try {
			const admission = isAnswered
				? undefined
				: await this.admit(started, stages, candidate, tickets);
			if (admission !== undefined && 'outcome' in admission) {
				({ outcome } = admission);
			} else {
				const isTrial = admission !== undefined;
				entry.isTrial = isTrial;
				const going = isTrial ? this.redirected(prepared, admission.trialTo) : prepared;
				entry.prepared = going;
				const requests = isTrial
					? this.trialRequestsOf(started, entry, prepared, admission.trialTo)
					: this.requestsOf(started, entry);
				const value = await this.amongRecipients(
					going,
					async () => await carryOut(going, requests, entry.item),
				);
				outcome = { status: 'done', value };
			}
		} catch (error) {
			outcome = failureOf(error);
		}
		const wasUnknown =
			receipt?.state === 'unknown' || tickets.some((ticket) => ticket.wasUnknown);
		// What became of a trial says nothing of the item, whose receipt stays as it was.
		const isAboutItem = !entry.isTrial && outcome.status !== 'previewed';
		if (wasUnknown && isAboutItem && !['done', 'unknown'].includes(outcome.status)) {
			outcome = stillUnknown(outcome);
		}
		for (const ticket of tickets) ticket.settle(fateOf(outcome));
		if (outcome.status === 'unknown') this.openTickets.set(candidate.index, tickets);
		this.end(entry, outcome);
		return outcome;
	}

	/** Lets other executions know to whom something is sent, as long as it may leave. */
	private async amongRecipients<T>({ recipient }: P, send: () => Promise<T>): Promise<T> {
		if (recipient === undefined) return await send();
		const end = recipients.begin(recipient, this.sender);
		const sending = send();
		end(
			await sending.then(
				() => false,
				(error: unknown) => failureOf(error).status === 'unknown',
			),
		);
		return await sending;
	}

	/**
	 * Leads an item through the stages.
	 *
	 * @param tickets gets those of the stages that it passed
	 * @returns what keeps it from being carried out, or what is carried out in its place
	 */
	private async admit(
		{ delivery }: RunOfRequests,
		stages: Array<Stage<P>>,
		candidate: Candidate<P>,
		tickets: Ticket[],
	): Promise<Exclude<Admission, { ticket: Ticket }>> {
		for (const stage of stages) {
			if (delivery.gate.isClosed) return { outcome: NOT_STARTED };
			try {
				const answer = stage.admit(candidate, () => delivery.gate.isClosed);
				const admission = answer instanceof Promise ? await answer : answer;
				if (admission === undefined) continue;
				if ('trialTo' in admission) return admission;
				if ('ticket' in admission) tickets.push(admission.ticket);
				else return { outcome: delivery.settle(admission.outcome) };
			} catch (error) {
				return { outcome: delivery.settle(notBegun(failureOf(error))) };
			}
		}
		return undefined;
	}

	/** Asks the service in the end what became of items that are unknown. Never throws. */
	private async lookUpUnknown({ receipts, ...started }: RunOfRequests): Promise<void> {
		const { lookUp } = this.definition;
		const { connection } = this.host;
		const { gate } = started.delivery;
		const unknown = [...this.entries.values()].flatMap((entry) =>
			entry.outcome?.status === 'unknown' && entry.prepared !== undefined
				? [this.unknownOf(entry, entry.prepared, receipts)]
				: [],
		);
		const isPossible = connection.problem === undefined && !gate.isCancelled;
		if (lookUp === undefined || unknown.length === 0 || !isPossible) return;
		const open = (milliseconds: number) =>
			this.deskOf(connection, receipts, gate.successor(milliseconds));
		let found = 0;
		for (const [index, finding] of await lookUp(unknown, open)) {
			if ('found' in finding) found++;
			this.learn(this.entries.get(index)!, finding, receipts);
		}
		if (found === 0) return;
		const word = found === 1 ? 'message' : 'messages';
		this.notes.add(
			`${found} ${word} whose answer was lost ${found === 1 ? 'was' : 'were'} looked up and found to be sent; what ${found === 1 ? 'it has' : 'they have'} cost is not known.`,
		);
		if (this.isHeldBackOnly) this.endHeldBack();
	}

	private unknownOf(entry: Entry<P>, prepared: P, receipts: Receipts): Unknown<P> {
		const { index } = entry;
		// What is found would be taken for the item itself, which did not go.
		if (entry.isTrial) return { index, prepared, attempt: undefined, isDatedByService: true };
		const attempt = receipts.attemptOf(String(index));
		if (attempt !== undefined) return { index, prepared, attempt, isDatedByService: false };
		const receipt = this.receiptOf(entry, receipts);
		return {
			index,
			prepared,
			attempt: receipt?.state === 'unknown' ? receipt.attempt : undefined,
			isDatedByService: true,
		};
	}

	private deskOf(connection: Connection, receipts: Receipts, gate: Gate): LookUpDesk {
		const { lastAnswer } = receipts;
		const { snapshotId, scheduledFor } = lastAnswer?.kept ?? {};
		const isSample = typeof snapshotId === 'string' && scheduledFor === undefined;
		const values = [...this.entries.values()].map(({ outcome }) =>
			outcome?.status === 'done' ? outcome.value : {},
		);
		const known = [...receipts.answers(), ...(values as IDataObject[])].map((kept) =>
			String(kept.snapshotId),
		);
		return {
			clock: new ServiceClock(),
			known: new Set(known),
			sample: isSample ? { snapshotId, attempt: lastAnswer!.attempt } : undefined,
			isContested: (recipient, since) => recipients.hasOthers(recipient, this.sender, since),
			wait: async (milliseconds) => await gate.wait(milliseconds),
			async ask(request, read) {
				if (!(await gate.enter())) return NOT_STARTED;
				try {
					const get = { ...request, method: 'GET' as const };
					const timeout = Math.max(1, gate.timeLeft);
					const result = await connection.request(get, read, { timeout });
					if ('value' in result) return result;
					if (result.retryAfterMs !== undefined) gate.pause(result.retryAfterMs);
					// A bad key, say: asking again would bring nothing else.
					if (result.general && !result.transient) gate.close();
					return result;
				} finally {
					gate.leave();
				}
			},
		};
	}

	/** What a look at the service has shown of an item. */
	private learn(entry: Entry<P>, finding: Finding, receipts: Receipts): void {
		const { index, identity, outcome } = entry;
		if ('found' in finding) {
			receipts.bookOf(String(index), identity).accepted(finding.found);
			for (const ticket of this.openTickets.get(index) ?? []) ticket.found?.();
			entry.outcome = { status: 'done', value: finding.found };
			this.failed.splice(this.failed.indexOf(index), 1);
			return;
		}
		if (finding.attempt !== undefined) {
			receipts.dateUnknown(String(index), identity, finding.attempt);
		}
		if (outcome !== undefined && isFailure(outcome)) {
			entry.outcome = { ...outcome, seen: finding.seen };
		}
	}

	/** All that failed were found to be all right: the others could have gone. */
	private get isHeldBackOnly(): boolean {
		const { failuresAre } = this.definition.policy ?? stopAtFirstFailure;
		const hasFailed = [...this.entries.values()].some(
			({ outcome }) => outcome && isFailure(outcome) && outcome !== NOT_STARTED,
		);
		return failuresAre === 'error' && !hasFailed;
	}

	/** What was held back behind an item that was found to be all right. */
	private endHeldBack(): void {
		for (const entry of this.entries.values()) {
			if (entry.outcome === NOT_STARTED) entry.outcome = FOUND_TOO_LATE;
		}
	}

	/** Requests for many items at once. */
	private async carryOutTogether(
		started: RunOfRequests,
		candidates: Array<Candidate<P>>,
		carryOutAll: NonNullable<Definition<P>['carryOutAll']>,
	): Promise<void> {
		const items = new Map(candidates.map(({ index, prepared }) => [index, prepared]));
		const [first] = this.open;
		// Each of its requests names its essence: what one item was made of says nothing of all of them.
		const together = { ...first, identity: { essence: undefined, intent: undefined } };
		try {
			const outcomes = await carryOutAll(items, this.requestsOf(started, together));
			for (const entry of this.open) this.end(entry, outcomes.get(entry.index)!);
		} catch (error) {
			this.endOpen(failureOf(error));
		}
	}
}

function isOpen<P extends Prepared>(entry: Entry<P>): entry is Entry<P> & { prepared: P } {
	return entry.outcome === undefined && entry.prepared !== undefined;
}

function duplicateOf({ duplicateKey }: Prepared): Pick<Identity, 'duplicate'> {
	return duplicateKey === undefined ? {} : { duplicate: fingerprint(duplicateKey) };
}

function failureOf(error: unknown): Failure {
	return error instanceof StepFailed ? error.failure : judgeError(error);
}

/** What a check has thrown, as the outcome of its item. */
function invalid(error: unknown): Extract<Outcome, { status: 'invalid' }> {
	const { message, description } = error as { message?: string; description?: string };
	return { status: 'invalid', message: message ?? String(error), advice: description ?? '' };
}
