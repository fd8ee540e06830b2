import {
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';
import {
	Delivery,
	EARLIER_UNKNOWN,
	isFailure,
	NOT_STARTED,
	type Outcome,
} from '../shared/run/Delivery';
import {
	describeInvalid,
	errorItem,
	invalidItemsError,
	toNodeError,
	type Invalid,
} from '../shared/run/errors';
import { fingerprint } from '../shared/run/fingerprint';
import { Gate, type Pace } from '../shared/run/Gate';
import { readPace } from '../shared/fields/pace';
import type { Failure } from '../shared/http/failure';
import { inSlices } from '../shared/run/perItem';
import { Receipts, type Identity } from '../shared/run/Receipts';
import { readRequestOptions, requestOnce, type RequestOptions } from '../shared/http/request';
import type { Prepared } from '../shared/run/RoutedOperation';
import { redact } from '../shared/http/secret';
import { readSendReceipt } from '../shared/service/messages';
import { readOption, readSwitch } from '../shared/service/choices';
import { InputError, requireText } from '../shared/service/InputError';
import { canonicalNumber } from '../shared/service/number';
import { fetchBlacklistedNumbers } from './blacklisted';
import { howToFindOut, prepareSend } from './message';
import { OnceKeys, type Claim } from './OnceKeys';

/** Keys are claimed in chunks of this size: after a kill, so many messages at most are unknown. */
const CLAIMED_AT_ONCE = 250;
/** Failures in a row that concern the whole service, after which the rest isn't tried. */
const GENERAL_FAILURES = 5;

interface Entry {
	number?: string;
	prepared?: Prepared;
	identity?: Identity;
	onceKey?: string;
	invalid?: Invalid;
}

/** What became of an item, those included that never came to a request. */
type BatchOutcome = Outcome | { status: 'invalid' } | { status: 'skipped'; reason: string };

/** One execution of the operation Send Batch: checks, sends, and tells what became of each item. */
export class Batch {
	private readonly entries: Entry[] = [];
	private readonly outcomes: BatchOutcome[] = [];
	private readonly gate: Gate;
	private readonly delivery: Delivery;
	private readonly requestOptions: RequestOptions;
	private readonly onceKeys: OnceKeys;
	private readonly confirmed: string[] = [];
	private readonly released: string[] = [];
	private storeProblem?: string;
	private underWay = 0;
	private wake: () => void = () => {};
	private generalFailures = 0;
	private stoppedBy?: Failure;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly total: number,
	) {
		this.gate = new Gate(paceOf(context), context.getExecutionCancelSignal());
		const runIndex = context.getWorkflowDataProxy(0).$runIndex as number;
		this.delivery = new Delivery(
			this.gate,
			new Receipts(context.getContext('node'), runIndex),
			(outcome) => this.concernsAll(outcome),
		);
		this.requestOptions = readRequestOptions(context);
		this.onceKeys = new OnceKeys(context.helpers, total);
	}

	/**
	 * Reads and checks all items before the first one is sent.
	 *
	 * @throws NodeOperationError naming the items that can't be sent, unless the user continues on fail
	 */
	async check(): Promise<void> {
		const { context } = this;
		const typed = fingerprint(context.getNode().parameters);
		const timeZone = context.getTimezone();
		const now = Date.now();
		const input = context.getInputData();
		await inSlices(this.total, (index) => {
			const entry: Entry = {};
			this.entries[index] = entry;
			try {
				const number = context.getNodeParameter('number', index) as unknown;
				if (typeof number === 'string' || typeof number === 'number')
					entry.number = `${number}`;
				const options = context.getNodeParameter('options', index, {}) as IDataObject;
				const prepared = prepareSend(
					{
						messageType: context.getNodeParameter('messageType', index),
						number,
						message: context.getNodeParameter('message', index),
						options,
					},
					{ timeZone, now },
				);
				const key = readOption(options, 'onceKey', 'Once Key');
				if (key !== undefined) entry.onceKey = parseOnceKey(key);
				entry.identity = {
					sent: fingerprint('POST', prepared.url, {}, prepared.body),
					intent: fingerprint(typed, input[index].json),
					...(prepared.duplicateKey && { duplicate: fingerprint(prepared.duplicateKey) }),
				};
				entry.number = prepared.subject;
				entry.prepared = prepared;
				if (prepared.expired && !this.delivery.hasReceipt(String(index), entry.identity)) {
					throw prepared.expired;
				}
			} catch (error) {
				entry.invalid = describeInvalid(error);
				this.outcomes[index] = { status: 'invalid' };
			}
		});
		const invalid = this.entries.flatMap(({ invalid: reason }, index) =>
			reason ? [[index, reason] as [number, Invalid]] : [],
		);
		if (invalid.length > 0 && !context.continueOnFail()) {
			throw invalidItemsError(context.getNode(), invalid, this.total);
		}
		this.skipRepeatedKeys();
	}

	private skipRepeatedKeys(): void {
		const firstWith = new Map<string, number>();
		for (const [index, { onceKey: key }] of this.entries.entries()) {
			if (key === undefined || this.outcomes[index]) continue;
			const first = firstWith.get(key);
			if (first === undefined) firstWith.set(key, index);
			else this.outcomes[index] = { status: 'skipped', reason: `Same key as item ${first}` };
		}
	}

	/** Sends what is to be sent, a chunk of claimed keys after the other. */
	async send(): Promise<void> {
		await this.skipBlacklisted();
		const open = this.entries.flatMap((_, index) => (this.outcomes[index] ? [] : [index]));
		for (let start = 0; start < open.length; start += CLAIMED_AT_ONCE) {
			const chunk = open.slice(start, start + CLAIMED_AT_ONCE);
			for (const index of await this.claim(chunk)) {
				this.underWay++;
				void this.sendOne(index).finally(() => {
					this.underWay--;
					this.wake();
				});
			}
			// The next chunk is claimed when this one is nearly through, so that no place stays empty.
			await this.untilAtMost(this.gate.places);
		}
		await this.untilAtMost(0);
		await this.confirm(1);
	}

	private async untilAtMost(underWay: number): Promise<void> {
		while (this.underWay > underWay) {
			await new Promise<void>((resolve) => (this.wake = resolve));
		}
	}

	private async skipBlacklisted(): Promise<void> {
		const options = this.context.getNodeParameter('options', 0, {}) as IDataObject;
		if (!readSwitch(options, 'skipBlacklisted', 'Skip Blacklisted Numbers')) return;
		const listed = await fetchBlacklistedNumbers(
			this.context,
			this.delivery,
			this.requestOptions,
		);
		for (const [index, { number, invalid }] of this.entries.entries()) {
			if (invalid || this.outcomes[index]) continue;
			const reason = listed.get(canonicalNumber(number!));
			if (reason !== undefined) this.outcomes[index] = { status: 'skipped', reason };
		}
	}

	/**
	 * @returns those of these items that may be sent
	 * @throws NodeOperationError when n8n's store can't be used and nothing has been sent so far
	 */
	private async claim(chunk: number[]): Promise<number[]> {
		// What this execution sent before (a retry) has its receipt and needs no claim.
		const toClaim = chunk.filter((index) => {
			const { onceKey: key, identity } = this.entries[index];
			return key !== undefined && !this.delivery.hasReceipt(String(index), identity!);
		});
		if (toClaim.length > 0 && !this.gate.isClosed) {
			try {
				const keys = toClaim.map((index) => this.entries[index].onceKey!);
				const claims = await this.onceKeys.claim(keys);
				for (const [position, index] of toClaim.entries())
					this.apply(claims[position], index);
			} catch (error) {
				this.stopWithoutStore(error);
			}
		}
		return chunk.filter((index) => this.outcomes[index] === undefined);
	}

	private stopWithoutStore(error: unknown): void {
		const said = describeInvalid(error).message;
		const message = `n8n's store of keys that were sent before can't be used: ${said}`;
		const advice =
			"If a Remove Duplicates node of this workflow uses the scope 'Workflow', set it to 'Node'. Nothing is sent without the check of 'Once Key'.";
		if (!this.outcomes.some((outcome) => outcome?.status === 'done')) {
			throw new NodeOperationError(this.context.getNode(), message, { description: advice });
		}
		this.stoppedBy ??= { ...NOT_STARTED, message, advice };
		this.gate.close();
	}

	private apply(claim: Claim, index: number): void {
		if (claim === 'sent') {
			this.outcomes[index] = {
				status: 'skipped',
				reason: 'Sent before with the same key in this workflow',
			};
		} else if (claim === 'unknown' && !this.entries[index].prepared!.resendUnknown) {
			this.outcomes[index] = EARLIER_UNKNOWN;
		}
	}

	private async sendOne(index: number): Promise<void> {
		const { prepared, identity, onceKey: key } = this.entries[index];
		const { url, body, resendUnknown } = prepared!;
		const outcome = await this.delivery.perform({
			key: String(index),
			repeatable: false,
			identity: identity!,
			resendUnknown,
			attempt: async () => {
				const request = { method: 'POST' as const, url: url!, body };
				const result = await requestOnce(
					this.context,
					request,
					readSendReceipt,
					this.requestOptions,
				);
				return 'value' in result ? { value: { ...result.value } } : result;
			},
		});
		this.outcomes[index] = outcome;
		if (key === undefined) return;
		if (outcome.status === 'done') this.confirmed.push(key);
		else if (outcome.status !== 'unknown') this.released.push(key);
		await this.confirm(CLAIMED_AT_ONCE);
	}

	/** Tells the store what was sent and what was not, when there are enough of them. */
	private async confirm(least: number): Promise<void> {
		try {
			if (this.confirmed.length >= least) {
				await this.onceKeys.confirm(this.confirmed.splice(0));
			}
			if (this.released.length >= least) await this.onceKeys.release(this.released.splice(0));
		} catch (error) {
			// The messages are sent; a later execution with the same keys will call them unknown.
			this.storeProblem = describeInvalid(error).message;
		}
	}

	/** A bad key fails for all; a service that is down is given up after a few in a row. */
	private concernsAll(outcome: Outcome): boolean {
		if (!isFailure(outcome) || !outcome.general) {
			this.generalFailures = 0;
			return false;
		}
		this.generalFailures++;
		if (outcome.transient && this.generalFailures < GENERAL_FAILURES) return false;
		this.stoppedBy ??= outcome;
		return true;
	}

	/**
	 * One result for each item, in order.
	 *
	 * @throws NodeApiError when something that concerns all items kept the first ones from being sent
	 *   and no message can have gone out, unless the user continues on fail
	 */
	async results(): Promise<INodeExecutionData[]> {
		const { context } = this;
		const { apiKey } = await context.getCredentials<{ apiKey: string }>('smsServiceApi');
		const clean = (text: string) => redact(text, apiKey);
		const counts = new Map<string, number>();
		for (const { status } of this.outcomes) counts.set(status, (counts.get(status) ?? 0) + 1);
		const nothingSent = !counts.has('done') && !counts.has('unknown');
		const general =
			this.stoppedBy ?? this.outcomes.filter(isFailure).find((failure) => failure.general);
		if (general && nothingSent && !context.continueOnFail()) {
			throw toNodeError(
				context.getNode(),
				{ ...general, message: clean(general.message), advice: clean(general.advice) },
				{ itemIndex: Math.max(0, this.outcomes.indexOf(general)) },
			);
		}
		context.addExecutionHints({
			message: this.summary(counts),
			type: counts.has('unknown') ? 'warning' : 'info',
			location: 'outputPane',
		});
		return this.outcomes.map((outcome, index) => this.resultOf(index, outcome, clean));
	}

	private resultOf(
		index: number,
		outcome: BatchOutcome,
		clean: (text: string) => string,
	): INodeExecutionData {
		const { number, prepared, invalid } = this.entries[index];
		const whom = { ...(number === undefined ? {} : { number }), ...prepared?.extra };
		const pairedItem = { item: index };
		if (outcome.status === 'done') {
			return { json: { status: 'sent', ...whom, ...outcome.value }, pairedItem };
		}
		if (outcome.status === 'skipped') {
			const reason =
				'reason' in outcome
					? outcome.reason
					: `Same recipient and text as item ${outcome.duplicateOf}`;
			return { json: { status: 'skipped', ...whom, reason }, pairedItem };
		}
		const { message, advice } =
			outcome.status === 'invalid'
				? { message: invalid!.message, advice: invalid!.description ?? '' }
				: this.explain(outcome, prepared!);
		const json: IDataObject = {
			status: outcome.status,
			...whom,
			reason: clean(message),
			...(advice ? { description: clean(advice) } : {}),
			...('code' in outcome && outcome.code !== undefined ? { code: outcome.code } : {}),
		};
		return errorItem(
			this.context.getNode(),
			json,
			{ message: clean(message), advice: clean(advice) },
			index,
		);
	}

	private explain(failure: Failure, prepared: Prepared): { message: string; advice: string } {
		if (failure.status === 'unknown') {
			return {
				message: `It is unknown whether this was sent: ${failure.message}`,
				advice: [howToFindOut(prepared), failure.transient ? '' : failure.advice]
					.filter(Boolean)
					.join(' '),
			};
		}
		if (failure === NOT_STARTED && this.stoppedBy) {
			return {
				message: `Not sent, because an earlier item stopped the batch: ${this.stoppedBy.message}`,
				advice: this.stoppedBy.advice,
			};
		}
		return failure;
	}

	private summary(counts: Map<string, number>): string {
		const credits = this.outcomes.reduce(
			(sum, outcome) =>
				sum + (outcome.status === 'done' ? Number(outcome.value.creditsUsed ?? 0) : 0),
			0,
		);
		const labels: Array<[string, string]> = [
			['done', 'sent'],
			['refused', 'refused'],
			['notSent', 'not sent'],
			['unknown', 'unknown'],
			['skipped', 'skipped'],
			['invalid', 'invalid'],
		];
		const parts = labels
			.filter(([status]) => counts.has(status))
			.map(([status, label]) => `${counts.get(status)} ${label}`);
		const problem = this.storeProblem
			? ` n8n could not store which keys were sent (${this.storeProblem}); a later execution will call them unknown.`
			: '';
		return `${parts.join(', ')}. ${Number(credits.toFixed(4))} credits used.${problem}`;
	}
}

/** @throws NodeOperationError for Options that make no sense */
function paceOf(context: IExecuteFunctions): Pace {
	try {
		return readPace({
			getNodeParameter: (name, fallback) => context.getNodeParameter(name, 0, fallback),
		});
	} catch (error) {
		const { message, description } = describeInvalid(error);
		throw new NodeOperationError(context.getNode(), message, { itemIndex: 0, description });
	}
}

/** @throws InputError for a key that is missing: the message could be sent twice */
function parseOnceKey(value: unknown): string {
	const key = requireText(value, 'Once Key').trim();
	if (key === '') {
		throw new InputError(
			"'Once Key' is empty for this item",
			'Each item needs a key of its own. Check the expression, or remove the option.',
		);
	}
	return key;
}
