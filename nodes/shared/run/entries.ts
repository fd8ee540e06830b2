import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Item } from '../fields/item';
import type { Options } from '../service/choices';
import { InputError } from '../service/InputError';
import { fingerprint } from './fingerprint';
import { invalid, isFailure, type Fate, type Outcome } from './outcome';
import type { Identity } from './Receipts';

/** Something that two items can have in common, so that only one of them is sent. */
export interface Likeness {
	/** What is the same: `key`, `recipient and text`, `campaign`. */
	what: string;
	value: string;
}

/** An item that was read and checked: what every operation says of it. */
export interface Prepared {
	/** Whom or what it is about, such as the phone number: named in errors and lists. */
	subject?: string;
	/** Fields that the result has beside the service's answer, also where it failed. */
	extra?: IDataObject;
	/** Whom or what it must be about at a retry to be the same one, such as the recipient. */
	target?: readonly unknown[];
	/** What else makes it the same one at a retry. By default, nothing else. */
	content?: readonly unknown[];
	/** Why the request can't be made any more, unless it was made in an earlier try. */
	expired?: InputError;
	resendUnknown?: boolean;
	/** What a preview shows beside `extra`. */
	preview?: () => IDataObject;
	/** What makes another item a duplicate of it. */
	alike?: readonly Likeness[];
}

/** One item of a run. */
export interface Entry<P extends Prepared = Prepared> {
	readonly index: number;
	readonly item: Item;
	prepared?: P;
	/** What tells at a retry whether it was made before. */
	identity: Identity;
	/** What makes another item a duplicate of it: a checksum for each of `prepared.alike`. */
	alike?: readonly string[];
	outcome?: Outcome;
	/** Nothing is sent for it: its result shows what would be. */
	showsOnly?: boolean;
	/** For a result that belongs to no single input item: the items that it was made from. */
	pairedItem?: INodeExecutionData['pairedItem'];
}

/** An entry that was read, and of which nothing has become yet. */
export type Open<P extends Prepared> = Entry<P> & { prepared: P };

/** What an earlier try has settled, with an option that says what it is alike and that was corrected since. */
export interface Renamed<P extends Prepared = Prepared> {
	prepared: P;
	fate: Fate;
}

/** The items of a run, in order, and what becomes of them. */
export class Entries<P extends Prepared> {
	readonly all: Array<Entry<P>> = [];
	/** What failed first. */
	firstFailed?: Entry<P>;
	private lastIndex = 0;
	/** What is wrong with that which is the same for all items; empty for nothing, undefined where nobody asked. */
	private faultOfAll?: string;

	/**
	 * Reads and checks one item, without a request. Never throws.
	 *
	 * @param typed the parameters of the node, as typed
	 */
	read(item: Item, { prepare, sourceParameters }: Reading<P>, typed: IDataObject): void {
		// With all of its fields from the beginning: V8 needs less for them.
		const entry: Entry<P> = {
			index: item.index,
			item,
			prepared: undefined,
			identity: {},
			alike: undefined,
			outcome: undefined,
			showsOnly: false,
		};
		this.all.push(entry);
		this.lastIndex = item.index;
		try {
			const read = prepare(item);
			const expired = item.forbidden ?? read.expired;
			const prepared = expired === undefined ? read : { ...read, expired };
			const made = sourceParameters?.map((name) => typed[name]);
			const alike = prepared.alike?.map(
				({ what, value }) => fingerprint(what, value) ?? value,
			);
			entry.prepared = prepared;
			entry.alike = alike;
			entry.identity = {
				...identityOf(prepared),
				intent: made && fingerprint(made, item.json),
				alike,
			};
		} catch (error) {
			entry.outcome = { ...invalid(error), ...this.general(error, item, prepare) };
		}
	}

	/** A mistake in something that is the same for all items is not the fault of one item. */
	private general(
		error: unknown,
		{ settings }: Item,
		prepare: Reading<P>['prepare'],
	): { general?: true } {
		this.faultOfAll ??= messageOf(() => prepare(settings));
		const { message } = error as { message?: string };
		return message === this.faultOfAll ? { general: true } : {};
	}

	get open(): Array<Open<P>> {
		return this.all.filter(isOpen);
	}

	/** Of the item whose options hold for the whole run: the first one that could be read. */
	get options(): Options {
		const first = this.all.find(({ prepared }) => prepared !== undefined) ?? this.all[0];
		return first.item.options;
	}

	end(entry: Entry<P>, outcome: Outcome): void {
		entry.outcome = outcome;
		if (isFailure(outcome) && !outcome.isHeldBack) this.firstFailed ??= entry;
	}

	/**
	 * Adds a result that belongs to all input items. It is paired with two of them, so that n8n says that it
	 * can't tell which one is meant, instead of taking the wrong one.
	 */
	beside(prepared: P, outcome: Outcome): void {
		const [{ index, item }] = this.all;
		const pairedItem = [{ item: index }, { item: this.lastIndex }];
		const entry: Entry<P> = { index, item, prepared, identity: {}, pairedItem };
		this.all.push(entry);
		this.end(entry, outcome);
	}

	/** Ends those that are open. */
	endOpen(outcomeOf: (entry: Entry<P>) => Outcome): void {
		for (const entry of this.open) this.end(entry, outcomeOf(entry));
	}
}

/** What an operation knows of reading an item. */
export interface Reading<P extends Prepared> {
	prepare: (item: Item) => P;
	/** Names of the parameters that make what is sent or changed. */
	sourceParameters?: readonly string[];
}

/** Of the mistake that a reader finds; empty where it finds none. */
function messageOf(read: () => unknown): string {
	try {
		read();
	} catch (error) {
		if (error instanceof InputError) return error.message;
	}
	return '';
}

function isOpen<P extends Prepared>(entry: Entry<P>): entry is Open<P> {
	return entry.outcome === undefined && entry.prepared !== undefined;
}

/** What tells a request apart that one item makes. */
export function identityOf({ target, content = target }: Prepared): Identity {
	return {
		target: target && fingerprint(...target),
		content: content && fingerprint(...content),
	};
}
