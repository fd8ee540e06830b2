import type { INodeExecutionData } from 'n8n-workflow';
import type { Entries, Entry, Prepared } from './entries';
import { errorItem } from './errors';
import type { Ground } from './Ground';
import type { RunHost } from './host';
import type { Definition } from './operation';
import { HELD_BACK } from './outcome';
import type { Policy } from './policy';
import type { Recovery } from './recovery';
import type { Hint } from './settings';
import { inSlices } from './slices';
import { asTable, ofEarlierResult } from './table';
import { Teller } from './tell';

/** What n8n gets of a run: its items, or its error. */
export interface Report {
	/** In item order. */
	items: INodeExecutionData[];
	error?: Error;
	/** For above the output. */
	hint?: Hint;
}

/** What a run has come to. */
interface Run<P extends Prepared> {
	entries: Entries<P>;
	problems: readonly string[];
	/** Undefined where it could not begin. */
	ground: Ground<P> | undefined;
	recovery: Recovery | undefined;
}

/**
 * Turns what became of the items into n8n's items, an error and a hint, as the policy of the operation
 * tells them.
 */
export async function report<P extends Prepared>(
	{ node, runIndex, continues, connection }: RunHost,
	definition: Definition<P>,
	policy: Policy,
	{ entries, problems, ground, recovery }: Run<P>,
): Promise<Report> {
	const { clean } = connection;
	const teller = new Teller({
		...definition,
		node,
		runIndex,
		clean,
		entries: entries.all,
		firstFailed: entries.firstFailed,
		settings: ground?.settings ?? {},
		stoppedBy: ground?.judge.stoppedBy,
		trial: ground?.trial,
		notes: [...(ground?.notes ?? []), ...notesOf(definition, entries)],
		problems: [...(ground?.warnings ?? []), ...problems],
		isRetry: recovery?.isRetry === true,
	});
	const error = continues ? undefined : policy.errorOf(teller);
	if (error !== undefined) return { items: [], error };
	const parts: INodeExecutionData[][] = [];
	await inSlices(entries.all, (entry) => parts.push(itemsOf(entry, teller, policy)));
	const hint = policy.hintOf(teller);
	const items = parts.length === 1 ? parts[0] : parts.flat();
	if (definition.columns !== undefined) await asTable(items, definition.columns);
	return {
		items,
		hint: hint && { ...hint, message: clean(hint.message) },
	};
}

/** What the operation says of all results that it has. */
function notesOf<P extends Prepared>({ noteOn }: Definition<P>, { all }: Entries<P>): string[] {
	if (noteOn === undefined) return [];
	const results = all.flatMap(({ outcome }) =>
		outcome?.status === 'done' && !Array.isArray(outcome.value) ? [outcome.value] : [],
	);
	const note = noteOn(results);
	return note === undefined ? [] : [note];
}

function itemsOf(entry: Entry, teller: Teller, policy: Policy): INodeExecutionData[] {
	const { index, outcome = HELD_BACK, pairedItem = { item: index } } = entry;
	if (outcome.status === 'done' && Array.isArray(outcome.value)) {
		return outcome.value.map((item) => ({ pairedItem, ...item }));
	}
	const json = teller.cleanData(policy.jsonOf(entry, outcome, teller));
	const { status } = outcome;
	if (status === 'done' || status === 'skipped' || status === 'previewed') {
		return [{ json, pairedItem }];
	}
	const { node, columns } = teller.run;
	const earlier = ofEarlierResult(entry.item.json, columns);
	const failed = errorItem(node, json, teller.tell(outcome, entry), index, earlier);
	failed.pairedItem = pairedItem;
	return [failed];
}
