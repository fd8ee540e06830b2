import type { IDataObject } from 'n8n-workflow';
import type { Failure } from '../../shared/http/failure';
import type { SmsService } from '../service';

/** One event of one category, of the account, or of watched messages. */
export interface Source<State = unknown> {
	/** Under which its state is kept. Another key is another thing to compare: a new baseline. */
	key: string;
	/** A name for error texts, such as `replies of 'invoices'`. */
	title: string;
	/** The category that it is about; undefined for the account and for watched messages. */
	category?: string;
	/** Recognises a state of this source; anything else is damaged. */
	isState(value: unknown): value is State;
	/**
	 * Asks the service and compares.
	 *
	 * @param known the state of the last poll; undefined takes a baseline
	 * @throws StepFailed
	 */
	look(known: State | undefined, service: SmsService, options: LookOptions): Promise<Look<State>>;
	/**
	 * An event made of what the service has now, to build a workflow with; undefined where it has nothing.
	 *
	 * @throws StepFailed
	 */
	sample(service: SmsService): Promise<IDataObject | undefined>;
}

export interface LookOptions {
	/** Where nothing is known, what is already there makes events. */
	emitExisting: boolean;
	/** Maximum number of events. */
	limit: number;
	/** Part of all fingerprints. */
	salt: string;
	/** Polls so far that handed out events. */
	turn: number;
}

/** Events, and the state after them. */
export interface Look<State = unknown> {
	items: IDataObject[];
	/** The same object where nothing has changed. */
	state: State;
	/** The service has nothing: no message, or none with a category that is written like this. */
	isEmpty?: boolean;
	/** More than half of what was known is still there: evidence that the account is the same. Counters give none. */
	isFamiliar?: boolean;
	/** Set when a part could not be read. */
	failure?: Failure;
	/** Nothing could be read. */
	isWhole?: boolean;
}
