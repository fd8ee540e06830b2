import type { Client } from './client';
import type { OpenEntry, Prepared } from './operation';
import type { Outcome } from './outcome';

/** Something that an item has to pass before it is sent, such as a blacklist. The first refusal counts. */
export interface Guard<P extends Prepared = Prepared> {
	/**
	 * Before the first item. It may set `outcome` of entries that are not to be sent.
	 *
	 * @throws StepFailed, InputError: then no item is sent
	 */
	begin?(entries: ReadonlyArray<OpenEntry<P>>, client: Client): Promise<void> | void;
	/**
	 * Called for one item after the other, in order; answers may come later.
	 *
	 * @returns why the item isn't sent; undefined where it may be
	 * @throws StepFailed: then the run stops here
	 */
	check?(
		entry: OpenEntry<P>,
		isStopped: () => boolean,
	): Promise<Outcome | undefined> | Outcome | undefined;
	/** Called for each item that passed, with its outcome. */
	done?(entry: OpenEntry<P>, outcome: Outcome): void;
	/** After the last item. @returns what the user should know, if something went wrong */
	end?(): Promise<string | undefined>;
}
