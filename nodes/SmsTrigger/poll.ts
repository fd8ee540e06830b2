import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { expressionInFixedField } from '../shared/fields/fixedMode';
import { StepFailed } from '../shared/run/outcome';
import type { Look, Source } from './events/Source';
import { toItems } from './items';
import { log, logOnce, toError, toParameterError, type Problem } from './log';
import { ANOTHER_ACCOUNT, BASELINE, nothingOf, UNREADABLE } from './log';
import { properties } from './properties';
import { takeSamples } from './samples';
import { failureIn, SmsService } from './service';
import { readSettings, type Settings } from './settings';
import { keepState, mark, randomId, readState, type TriggerState } from './state';

/** The memory that this process has of a trigger. */
interface InProcess {
	/** The salt of the state that it begins with: where n8n loses that, the next poll makes the same event IDs. */
	salt: string;
	isPolling: boolean;
	/** A poll has ended in this process. */
	hasPolled: boolean;
	/** The keys of the sources whose failure is in the log. */
	failing: ReadonlySet<string>;
	/** The newest state that n8n has given back, or that a poll without events has made. */
	latest?: TriggerState;
}

const triggers = new Map<string, InProcess>();
const NOTHING_READABLE = { address: '', key: '', state: null };

const begin = (): InProcess => ({
	salt: randomId(),
	isPolling: false,
	hasPolled: false,
	failing: new Set(),
});

/** Asks the service for what is new. */
export async function poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (this.getMode() === 'manual') {
		const { service, settings } = await prepare(this);
		return [toItems(await takeSamples(this, settings, service))];
	}
	const id = `${this.getWorkflow().id ?? ''}/${this.getNode().id}`;
	const trigger = triggers.get(id) ?? begin();
	triggers.set(id, trigger);
	// Rules that meet in one minute, and a service that is slow: one poll at a time.
	if (trigger.isPolling) return null;
	trigger.isPolling = true;
	try {
		return await pollOnce(this, trigger);
	} finally {
		trigger.isPolling = false;
		trigger.hasPolled = true;
	}
}

async function pollOnce(context: IPollFunctions, trigger: InProcess) {
	const { service, settings } = await prepare(context);
	const { state: before, isNew, isUnreadable } = readState(context, trigger);
	if (!isNew && !isUnreadable) trigger.latest = before;
	// Old entries of a state that can't be read are not new.
	const options = { ...settings, emitExisting: settings.emitExisting && !isUnreadable };
	const sources: TriggerState['sources'] = {};
	const items: IDataObject[] = [];
	const problems: Problem[] = [];
	const silent = new Map<string, boolean>();
	// One after the other: each answer can be large.
	for (const source of settings.sources) {
		const { key, title, category } = source;
		let look: Look;
		try {
			look = await lookAt(source, context, before, service, options);
		} catch (error) {
			problems.push({ key, title, failure: failureIn(error), isWhole: true });
			// A source that fails keeps what it knew; damaged is not new.
			const kept = before.sources[key] ?? (isUnreadable ? NOTHING_READABLE : undefined);
			if (kept !== undefined) sources[key] = kept;
			continue;
		}
		const { failure, isWhole = false } = look;
		if (failure !== undefined) problems.push({ key, title, failure, isWhole });
		sources[key] = { ...accountOf(service, before), state: look.state };
		if (category !== undefined) {
			const isSilent = look.isEmpty === true && before.sources[key] === undefined;
			silent.set(category, isSilent && (silent.get(category) ?? true));
		}
		items.push(...look.items);
	}

	const failed = problems.filter(({ isWhole }) => isWhole);
	// A new trigger says at once what doesn't work.
	if (isNew && failed.length > 0) throw toError(context, failed);
	if (isUnreadable) log(context, 'error', UNREADABLE);
	if (isNew) log(context, 'info', BASELINE);
	for (const [category, isSilent] of silent)
		if (isSilent) log(context, 'info', nothingOf(category));
	const hasEvents = items.length > 0;
	const state = keepState(context, before, sources, hasEvents);
	if (hasEvents) {
		// n8n may lose these events: until it gives their state back, the one before is the latest.
		trigger.failing = logOnce(context, problems, trigger.failing);
		return [toItems(items)];
	}
	trigger.latest = state;
	// After a restart, n8n would give up on a trigger whose first poll fails.
	const isDown = failed.length === settings.sources.length && trigger.hasPolled;
	if (isDown) throw toError(context, problems);
	trigger.failing = logOnce(context, problems, trigger.failing);
	return null;
}

/** @throws NodeOperationError for a field that has to be corrected */
async function prepare(context: IPollFunctions) {
	const service = await SmsService.open(context);
	try {
		const mistake = expressionInFixedField(properties, context.getNode().parameters);
		if (mistake !== undefined) throw mistake;
		const settings = readSettings(context, service.country);
		service.shareTime(settings.sources.length);
		return { service, settings };
	} catch (error) {
		throw toParameterError(context, error);
	}
}

/**
 * Compares a source with what is known of it, if that is of the same account: read with the same key, or, with
 * another key at the same address, still there for more than half. Else what the service has now becomes known.
 *
 * @throws StepFailed
 */
async function lookAt(
	source: Source,
	context: IPollFunctions,
	before: TriggerState,
	service: SmsService,
	{ emitExisting, limit }: Settings,
): Promise<Look> {
	const kept = before.sources[source.key];
	const account = accountOf(service, before);
	const isReadable = kept !== undefined && source.isState(kept.state);
	const known = isReadable && kept.address === account.address ? kept.state : undefined;
	const { salt, turn } = before;
	const options = { salt, turn, limit, emitExisting: emitExisting && kept === undefined };
	const look = await source.look(known, service, options);
	if (kept === undefined || (known !== undefined && kept.key === account.key)) return look;
	// No answer tells nothing of the account.
	if (look.isWhole && look.failure !== undefined) throw new StepFailed(look.failure);
	if (known !== undefined && look.isFamiliar) return look;
	log(context, 'warn', `${source.title}: ${isReadable ? ANOTHER_ACCOUNT : UNREADABLE}`);
	return known === undefined ? look : await source.look(undefined, service, options);
}

function accountOf({ address, key }: SmsService, { salt }: TriggerState) {
	return { address: mark(salt, address), key: mark(salt, `${address} ${key}`) };
}
