import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import type { Item } from '../fields/item';
import type { Options } from '../service/choices';
import type { Endpoint } from '../service/endpoint';
import type { InputError } from '../service/InputError';
import type { Client } from './client';
import type { Host } from './host';
import type { Outcome, Output } from './outcome';
import type { Identifiable, LostChange, RequestIdentity } from './receipts';
import type { LookUp } from './unknown';

/** An item that was read and checked. */
export interface Prepared extends Identifiable {
	/** Whom or what it is about, such as the phone number: named in errors. */
	subject?: string;
	/** Fields of the result beside the service's answer, also where it failed. */
	extra?: IDataObject;
	/** Why it can't be sent any more, unless an earlier try did. */
	expired?: InputError;
	/** A retry makes the change again where no look-up shows that it was carried out. */
	resendUnknown?: boolean;
	/** Its once key, if it has one. */
	onceKey?: string;
	/** Fields that a dry run shows beside `extra`. */
	preview?: () => IDataObject;
}

/** One item of a run. */
export interface Entry<P extends Prepared = Prepared> {
	readonly index: number;
	readonly item: Item;
	prepared?: P;
	/** Tells at a retry whether it was sent before. */
	identity: RequestIdentity;
	/** Set by `Run.end` only. */
	outcome?: Outcome;
	/** An earlier try may have made its change, and it is made again. */
	mayRepeat?: boolean;
	/** Nothing is sent for it: its result shows what would be. */
	showsOnly?: boolean;
	/** For a result that belongs to no single input item: the items that it was made from. */
	pairedItem?: INodeExecutionData['pairedItem'];
}

/** An entry that was read and has no outcome yet. */
export type OpenEntry<P extends Prepared = Prepared> = Entry<P> & { prepared: P };

/** It was carried out, by this run or before. */
export function isDone(entry: Entry): entry is OpenEntry {
	return entry.outcome?.status === 'done' && entry.prepared !== undefined;
}

/** Gives an entry that isn't to be sent its outcome. */
export type End = (entry: Entry, outcome: Outcome) => void;

/**
 * Looks at all open items before the first one is sent, such as for a blacklist.
 *
 * @throws StepFailed, InputError: then no item is sent
 */
export type Guard<P extends Prepared = Prepared> = (
	entries: ReadonlyArray<OpenEntry<P>>,
	client: Client,
	end: End,
) => Promise<void> | void;

/** Asks for each item, in its turn, whether it may be sent: after all guards, since it has to take back what it gave. */
export interface Claims<P extends Prepared = Prepared> {
	/**
	 * @param isStopped ends the waiting for a claim
	 * @throws InputError where nothing can be claimed: then no item is sent
	 */
	begin(entries: ReadonlyArray<OpenEntry<P>>, client: Client, isStopped: () => boolean): void;
	/**
	 * Called for one item after the other, in order; answers may come later.
	 *
	 * @returns why the item isn't sent; undefined where it may be
	 */
	claim(entry: OpenEntry<P>): Promise<Outcome | undefined>;
	/** Called for each item that was claimed, with its outcome. */
	done(entry: OpenEntry<P>, outcome: Outcome): void;
	/** Ends those that need no sending, whatever else is wrong with them, or stops the others. Never throws. */
	endUsed(entries: ReadonlyArray<OpenEntry<P>>, end: End): Promise<void>;
	/** After the last item. @returns what the user should know, if something went wrong */
	close(): Promise<string | undefined>;
}

/** A run that sends nothing, or one message, to the user's own phone. */
export interface DryRun {
	/** It was started in the editor, and the credential doesn't let it send for real. */
	isTest: boolean;
	testNumber?: string;
}

/** The run as guards and hooks see it. */
export interface RunInfo extends Pick<Host, 'account' | 'execution' | 'isManual'> {
	/** Number of items. */
	items: number;
	/** Options of the first valid item. */
	options: Options;
	/** Set where nothing is sent, or one message to the test number: nothing is stored either. */
	dryRun: DryRun | undefined;
}

/** The run of an operation that carries out all items together. */
export interface WholeRun<P extends Prepared = Prepared> {
	/** Number of its items, invalid ones included. */
	items: number;
	/** Adds a result that belongs to no input item. It is shown after the others. */
	extraResult: (prepared: P, outcome: Outcome) => void;
}

/** How texts speak of an operation. */
export interface Wording<P extends Prepared = Prepared> {
	/** "sent", "added"; by default "looked up" or "carried out". */
	verb?: string;
	/** How items are counted that were carried out, where nothing may have been left to do. By default, the verb. */
	done?: string;
	/** The first line above the results. */
	summaryOf?: (results: readonly IDataObject[]) => string | undefined;
	/**
	 * Further lines, from what was carried out, or may have been.
	 *
	 * @param warn adds a line that is never left out
	 */
	noteOn?: (carriedOut: P[], warn: (text: string) => unknown) => string[];
	/** The way out for something unknown that a retry doesn't look up: a sentence. */
	ifUnknown?: (prepared: P) => string | undefined;
	/** The option that makes a retry repeat what is unknown. */
	repeatOption?: string;
	/** Whom or what an item is about that could not be read. Never throws. */
	asTyped?: (item: Item) => IDataObject;
}

/** How an operation works, whatever runs it. */
export interface OperationDefinition<P extends Prepared = Prepared> {
	/** The entry in the Operation dropdown. */
	name: string;
	value: string;
	action: string;
	description: string;
	/** When n8n's AI builder is to choose it, and what instead. */
	builderHint?: string;
	/** The fields that it shows, in order. Its collections come after them. */
	fields: INodeProperties[];
	/** The collection Options: of the operation itself. */
	options?: INodeProperties[];
	/** The collection Safeguards: recipients, cost, failures. */
	safeguards?: INodeProperties[];
	words?: Wording<NoInfer<P>>;
	/** Its request, as the interface document writes it. */
	request?: Endpoint;
	/**
	 * `read` changes nothing; `make` looks at what is there, and makes it as it is to be; `delete` does no harm when it is
	 * repeated; `send` texts people, but not in a test run.
	 */
	kind: 'read' | 'change' | 'make' | 'delete' | 'send';
	/** It makes no request, so that it needs no credential. */
	isLocal?: true;
	/** Reads and checks one item, without a request, before anything is sent. @throws InputError */
	prepare: (item: Item) => P;
	/** Checks one item by asking the service, before anything is sent. @throws InputError, StepFailed */
	check?: (prepared: NoInfer<P>, client: Client, item: Item) => Promise<NoInfer<P>>;
	/** Compares the items with one another, before anything is sent, and ends those that can't be. */
	compare?: (
		entries: ReadonlyArray<OpenEntry<NoInfer<P>>>,
		client: Client,
		end: End,
	) => Promise<void> | void;
	/** Guards that an item has to pass before it is sent, and the claims that come after them. */
	guards?: (run: RunInfo) => {
		guards: Array<Guard<NoInfer<P>>>;
		claims?: Claims<NoInfer<P>>;
	};
	/** Asks the service for a change of an earlier try whose answer got lost. @throws StepFailed */
	lookUp?: (prepared: NoInfer<P>, client: Client, lost: LostChange) => Promise<LookUp>;
	/** Its steps are looked up instead, each where a retry comes to it. */
	looksUpSteps?: true;
	/** Carries one item out. @returns its result @throws StepFailed */
	execute?: (prepared: NoInfer<P>, client: Client, item: Item) => Promise<Output> | Output;
	/** Carries out all items together instead: one of the two is there. @throws StepFailed, for all items alike */
	executeAll?: (
		entries: ReadonlyArray<OpenEntry<NoInfer<P>>>,
		clientOf: (entry: OpenEntry<NoInfer<P>>) => Client,
		run: WholeRun<NoInfer<P>>,
	) => Promise<ReadonlyMap<number, Outcome>>;
	/** It goes to the phone of an item: its recipient can be asked, and the service shows its status by number. */
	toPhone?: true;
	/**
	 * The result, from what is kept of an accepted request. By default, the same.
	 *
	 * @throws StepFailed where what an earlier try has sent is of no use to this one
	 */
	resultOf?: (kept: IDataObject) => IDataObject;
	/** It carries on after failures, until the service fails; otherwise, the first one stops it. */
	carriesOn?: true;
	/** It reports each item, and fails only for what concerns all of them. */
	isBatch?: true;
	/** The same to another number, for test runs: every operation that sends has it. */
	redirect?: (prepared: NoInfer<P>, number: string) => NoInfer<P>;
}

/** An operation as a node lists it. */
export interface Operation {
	option: INodePropertyOptions & { value: string; action: string };
	fields: INodeProperties[];
	/** As n8n's engine runs it. */
	run: (this: IExecuteFunctions) => Promise<INodeExecutionData[][]>;
}
