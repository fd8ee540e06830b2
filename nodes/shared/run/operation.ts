import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import type { Account } from '../http/credential';
import type { Item } from '../fields/item';
import type { Endpoint } from '../service/endpoint';
import type { Options } from '../service/choices';
import type { Stage } from './admission';
import type { Open, Prepared } from './entries';
import type { Outcome, Output, Seen } from './outcome';
import type { Policy } from './policy';
import type { Client } from './client';
import type { Timing } from './timing';

export type { Prepared } from './entries';

/** What the stages of a run can depend on. */
export interface StagedRun {
	/** n8n's context; undefined where an agent calls the node as a tool. */
	execution: IExecuteFunctions | undefined;
	/** Number of items. */
	items: number;
	/** Options of the first item. */
	options: Options;
	/** Someone tries the workflow out in the editor. */
	isManual: boolean;
	/** What the credential says beside address and key. */
	account: Account;
	/** Nothing is written down: it is only asked what would become of the items. */
	looksOnly: boolean;
	/** Started in the editor: not even asked is what can't be asked without being written to. */
	isTest: boolean;
	timing: Timing;
}

/** What an operation can look at and say before the first item. */
export interface BeforeFirst<P extends Prepared> {
	client: Client;
	/** Those that the stages will be asked about. */
	candidates: ReadonlyArray<Open<P>>;
	/** How many of them the stages would let through. */
	predict: () => Promise<number>;
}

/** A message that is unknown in the end of a run. */
export interface Unknown<P extends Prepared> {
	index: number;
	prepared: P;
	/** When its request was made, where this run made it; milliseconds since the Unix epoch. */
	attemptedAt: number | undefined;
}

/** The run in which all items are carried out together. */
export interface WholeRun<P extends Prepared> {
	/** Number of its items, with those that can't be carried out. */
	items: number;
	/** Adds the outcome of something that is not one of them. It is shown after them. */
	extraResult: (prepared: P, outcome: Outcome) => void;
}

/** How an operation works, whatever runs it. */
export interface Definition<P extends Prepared> {
	/** The entry in the Operation dropdown. */
	name: string;
	value: string;
	action: string;
	description: string;
	/** When n8n's AI builder is to choose it, and what instead of it. */
	builderHint?: string;
	/** The fields that it shows, in order. */
	fields: INodeProperties[];
	/** Its request, as the interface document writes it; undefined without one. */
	request?: Endpoint;
	/**
	 * Names of the parameters that make what is sent or changed. Unchanged, with an unchanged input item,
	 * they mean the same at a retry. Options such as the pace don't belong to them.
	 */
	sourceParameters?: readonly string[];
	/**
	 * Reads the parameters of an item and checks them. Runs for all items before the first request.
	 *
	 * @throws InputError for what the user has to correct
	 */
	prepare: (item: Item) => P;
	/**
	 * Checks that need the service itself, such as the columns of a list. Run for all items before the
	 * first request that changes anything.
	 *
	 * @throws InputError, StepFailed
	 */
	check?: (prepared: NoInfer<P>, client: Client, item: Item) => Promise<NoInfer<P>>;
	/**
	 * Compares the items with one another after all were checked, without a request: sets `outcome` of those that
	 * can't be carried out.
	 */
	compare?: (entries: ReadonlyArray<Open<NoInfer<P>>>) => void;
	/**
	 * Once, before the first item is carried out.
	 *
	 * @throws InputError, StepFailed where none may be
	 */
	begin?: (
		run: Omit<StagedRun, 'looksOnly' | 'isTest'>,
		before: BeforeFirst<NoInfer<P>>,
	) => Promise<void> | void;
	/** What an item has to pass before it is carried out. */
	guards?: (run: StagedRun) => Array<Stage<NoInfer<P>>>;
	/**
	 * Carries one item out.
	 *
	 * @returns the fields of its result, or several items
	 * @throws StepFailed
	 */
	execute: (prepared: NoInfer<P>, client: Client, item: Item) => Promise<Output> | Output;
	/**
	 * Instead, for an operation that is about all items together: carries all of them out.
	 *
	 * @returns what became of each item
	 * @throws StepFailed, for all items alike
	 */
	executeAll?: (
		entries: ReadonlyArray<Open<NoInfer<P>>>,
		clientOf: (entry: Open<NoInfer<P>>) => Client,
		run: WholeRun<NoInfer<P>>,
	) => Promise<ReadonlyMap<number, Outcome>>;
	/**
	 * Asks the service in the end what it shows of items that are unknown. Never throws.
	 *
	 * @param at when to ask; milliseconds from now on
	 */
	lookUp?: (
		unknown: ReadonlyArray<Unknown<NoInfer<P>>>,
		client: Client,
		at: readonly number[],
	) => Promise<ReadonlyMap<number, Seen>>;
	/** What a user can do to find out, when it is unknown whether it was carried out. */
	howToFindOut?: (prepared: NoInfer<P>) => string;
	/** What was done with an item that succeeded: "sent". By default, "carried out". */
	verb?: string;
	/** Whom or what an item is about that could not be read. */
	asTyped?: (item: Item) => IDataObject;
	/** The fields of its result, of what is kept of an item that was accepted. By default, the same. */
	resultOf?: (kept: IDataObject) => IDataObject;
	/** What to say above the results of a run, from what its items have come to. */
	noteOn?: (results: readonly IDataObject[]) => string | undefined;
	/**
	 * The fields of its results, in order, as far as people look at them first or they say what became of an item.
	 * With them, all results of a run have the same fields, and an input item that is a result itself leaves none of
	 * them beside a new result.
	 */
	columns?: readonly string[];
	/** When the run stops, and how it is told. By default, it stops at the first failure. */
	policy?: Policy;
	/** For an operation that sends: the same to another number. */
	redirect?: (prepared: NoInfer<P>, number: string) => NoInfer<P>;
}

/** An operation as a node lists it. */
export interface Operation {
	option: INodePropertyOptions & { value: string; action: string };
	fields: INodeProperties[];
	/** As n8n's engine runs it. `timing` is for tests. */
	run: (this: IExecuteFunctions, timing?: Timing) => Promise<INodeExecutionData[][]>;
}
