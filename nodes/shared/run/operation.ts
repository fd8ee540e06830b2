import type {
	IBinaryData,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import type { Options } from '../service/choices';
import type { Endpoint } from '../service/endpoint';
import type { InputError } from '../service/InputError';
import type { Failure, Reader } from '../http/failure';
import type { ServiceRequest } from '../http/request';
import type { ServiceClock } from '../http/ServiceClock';
import type { Outcome, Output } from './outcome';
import type { Requests } from './Requests';
import type { Waiting } from './waiting';
import type { Policy, Stage } from './policy';
import type { Attempt } from './Receipts';

/** An input item, and what the node's parameters are for it, however n8n runs the node. */
export interface Item {
	readonly index: number;
	readonly json: IDataObject;
	/** A parameter as typed or as its expression gives it. */
	parameter(name: string, fallback?: unknown): unknown;
	/** A text in n8n's HTML editor, with the expressions in it resolved. */
	template(name: string): unknown;
	/** A resource locator, by the value that was chosen or typed in it. */
	chosen(name: string): unknown;
	/** What the user added under Options and Delivery Settings. */
	readonly options: Options;
	/** Whether an option is an expression, which can be another value for each item. */
	varies(option: string): boolean;
	/** ISO 3166-1 code of the country whose national numbers are understood. */
	readonly country: string;
	/** IANA name of the workflow's time zone. */
	readonly timeZone: string;
	/** When the run began; milliseconds. */
	readonly now: number;
	/** Keeps a file for a result. */
	file(content: Buffer, name: string, mimeType: string): Promise<IBinaryData>;
	/** How the execution can wait here for an answer; undefined where n8n's router runs the operation. */
	readonly waiting?: () => Waiting;
}

/** An item that was read and checked: what every operation says of it. */
export interface Prepared {
	/** Whom or what it is about, such as the phone number: named in errors and lists. */
	subject?: string;
	/** The phone number that a message goes to, spelled as `canonicalNumber` does. */
	recipient?: string;
	/** Fields that the result has beside the service's answer, also where it failed. */
	extra?: IDataObject;
	/** What makes it the same one at a retry, for an operation that makes one change. */
	essence?: readonly unknown[];
	/** Why the request can't be made any more, unless it was made in an earlier try. */
	expired?: InputError;
	resendUnknown?: boolean;
	/** What a preview shows beside `extra`. */
	preview?: () => IDataObject;
	/** What a duplicate has in common with the first one; undefined where duplicates are welcome. */
	duplicateKey?: string;
	/** How a user calls that. By default, recipient and text. */
	duplicateOf?: string;
}

/** What the stages of a run can depend on. */
export interface StagedRun {
	/** Undefined where n8n's router runs the operation. */
	context: IExecuteFunctions | undefined;
	/** Number of items. */
	items: number;
	/** Options of the first item. */
	options: Options;
	/** Someone tries the workflow out in the editor. */
	isManual: boolean;
	/** Its items can be sent to another number. */
	canRedirect: boolean;
	/** What the credential says of such runs. */
	account: { manualRuns?: unknown; testNumber?: unknown; country: string };
}

/** An item that is unknown in the end of a run. */
export interface Unknown<P extends Prepared> {
	index: number;
	prepared: P;
	/** When its request was made; undefined where that isn't known. */
	attempt?: Attempt;
	/** `attempt` is of an earlier try: when the service can have dated it, by its own clock. */
	isDatedByService: boolean;
}

/** What a look at the service has shown of an item: that it was accepted, or what else. */
export type Finding = { found: IDataObject } | { seen: string; attempt?: Attempt };

/** Where the service is asked after a run, at the pace of the run, for a limited time. */
export interface LookUpDesk {
	readonly clock: ServiceClock;
	/** Snapshot IDs of which this execution has a receipt. */
	readonly known: ReadonlySet<string>;
	/** A message of this run that left at once, and when its request was made, here. */
	readonly sample: { snapshotId: string; attempt: Attempt } | undefined;
	/**
	 * Whether another execution, run or try may have sent something to the recipient too, at this time here or
	 * later.
	 *
	 * @param since undefined for what an earlier try has left unknown
	 */
	isContested(recipient: string, since: number | undefined): boolean;
	/** One GET, once. Never throws. */
	ask<T>(
		request: Omit<ServiceRequest, 'method'>,
		read: Reader<T>,
	): Promise<{ value: T } | Failure>;
	/** @returns false when the time is over, or the user has stopped the execution */
	wait(milliseconds: number): Promise<boolean>;
}

/** How an operation works, whatever runs it. */
export interface Definition<P extends Prepared> {
	/** The entry in the Operation dropdown. */
	name: string;
	value: string;
	action: string;
	description: string;
	/** The fields that it shows, in order. */
	fields: INodeProperties[];
	/** Its main request, as the interface document writes it; undefined without one. */
	request?: Endpoint;
	/**
	 * Names of the parameters that make what is sent or changed. Unchanged, with an unchanged input item,
	 * they mean the same at a retry; options such as the pace are none of them.
	 */
	madeOf?: readonly string[];
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
	check?: (prepared: NoInfer<P>, requests: Requests, item: Item) => Promise<NoInfer<P>>;
	/**
	 * Carries one item out.
	 *
	 * @returns the fields of its result, or several items
	 * @throws StepFailed
	 */
	carryOut: (prepared: NoInfer<P>, requests: Requests, item: Item) => Promise<Output> | Output;
	/**
	 * Instead, for an operation that makes one request for many items: carries all of them out.
	 *
	 * @returns what became of each item
	 * @throws StepFailed, for all items alike
	 */
	carryOutAll?: (
		items: ReadonlyMap<number, NoInfer<P>>,
		requests: Requests,
	) => Promise<ReadonlyMap<number, Outcome>>;
	/**
	 * Finds out in the end what became of items that are unknown. Never throws.
	 *
	 * @param open asks the service, for so long at most
	 */
	lookUp?: (
		unknown: ReadonlyArray<Unknown<NoInfer<P>>>,
		open: (milliseconds: number) => LookUpDesk,
	) => Promise<ReadonlyMap<number, Finding>>;
	/** What a user can do to find out, when it is unknown whether it was carried out. */
	howToFindOut?: (prepared: NoInfer<P>) => string;
	/** What was done with an item that succeeded: "sent". By default, "carried out". */
	deed?: string;
	/** Whom or what an item is about that could not be read. */
	asTyped?: (item: Item) => IDataObject;
	/** When the run stops, and how it reports. By default, it stops at the first failure. */
	policy?: Policy;
	/** What an item has to pass before it is carried out. */
	stages?: (run: StagedRun) => Array<Stage<NoInfer<P>> | undefined>;
	/** The same to another number, for trying a workflow out. Without it, nothing goes then. */
	redirect?: (prepared: NoInfer<P>, number: string) => NoInfer<P>;
	/** Means nothing any more: n8n's engine runs every operation as a custom operation. */
	custom?: string;
}

/** An operation as a node lists it. */
export interface Operation {
	option: INodePropertyOptions & { value: string; action: string };
	fields: INodeProperties[];
	/** How n8n's engine runs it, except as a tool. */
	custom?: (this: IExecuteFunctions) => Promise<INodeExecutionData[][]>;
}
