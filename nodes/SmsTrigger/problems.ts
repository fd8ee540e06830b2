import { NodeOperationError, type IPollFunctions, type NodeApiError } from 'n8n-workflow';
import type { Clean } from '../shared/http/secret';
import { toNodeError } from '../shared/run/errors';
import { invalid } from '../shared/run/outcome';
import type { Failure, FailureCause } from '../shared/http/failure';
import { show } from '../shared/service/InputError';
import { Recent } from './cursor/Recent';
import { triggerId, type Memory } from './cursor/memory';
import { NO_ENTRY } from './events';
import type { Looks, Problem } from './looks';

/** Of several failures, the one that a user can do something about is the one to raise. */
const WEIGHTS: Record<FailureCause, number> = {
	'credential-invalid': 5,
	'configuration-invalid': 4,
	'rate-limited': 3,
	'quota-exhausted': 2,
	'temporarily-unavailable': 1,
};

/** Failures named in an error. */
const NAMED = 10;

/** One error for all failures of a poll, classified by the gravest. The key is not in it. */
export function toError(
	context: IPollFunctions,
	problems: readonly Problem[],
	clean: Clean,
): NodeApiError {
	const [gravest, ...others] = [...problems].sort(byWeight);
	const waits = problems
		.filter(({ failure }) => failure.cause === gravest.failure.cause)
		.flatMap(({ failure }) => failure.retryAfterMs ?? []);
	const lines = [adviceOf(gravest.failure)];
	if (others.length > 0) {
		lines.push('Others at the same time:', ...others.slice(0, NAMED).map(textOf));
		if (others.length > NAMED) lines.push(`and ${others.length - NAMED} more`);
	}
	return toNodeError(context.getNode(), {
		...gravest.failure,
		message: clean(textOf(gravest)),
		advice: clean(lines.join('\n')),
		retryAfterMs: waits.length > 0 ? Math.max(...waits) : undefined,
	});
}

/** Writes failures to n8n's log, where they don't stop anything. The key is not in it. */
export function logAll(context: IPollFunctions, problems: readonly Problem[], clean: Clean): void {
	for (const problem of problems) {
		const { httpCode, code } = problem.failure;
		const text = `${textOf(problem)}. ${adviceOf(problem.failure)}`;
		log(context, 'warn', clean(text), { httpCode, code });
	}
}

/** How grave the outage of each source is that was reported, by trigger and by the source's key. */
const reported = new Recent<ReadonlyMap<string, number>>();

/**
 * Finds the failures that n8n has not been told of: each outage of a source is told once, and again when
 * it becomes graver. Call it in each poll, so that the end of an outage is noticed.
 */
function findUnreported(context: IPollFunctions, problems: readonly Problem[]): Problem[] {
	const trigger = triggerId(context);
	const before = reported.get(trigger) ?? new Map<string, number>();
	const now = problems.map(({ key, failure }): [string, number] => {
		return [key, Math.max(weightOf(failure), before.get(key) ?? 0)];
	});
	if (now.length > 0) reported.set(trigger, new Map(now));
	else reported.delete(trigger);
	return problems.filter(({ key, failure }) => weightOf(failure) > (before.get(key) ?? -1));
}

/**
 * Makes the failures of a poll known. One that has events to hand out, or that must not fail, has them
 * stored as a failed execution, so that the error workflow runs, once per outage.
 *
 * @param mustNotFail there are events to hand out
 * @returns the error that the poll has to fail with
 */
export function tell(
	context: IPollFunctions,
	{ failures, outage }: Looks,
	memory: Memory,
	clean: Clean,
	mustNotFail: boolean,
): NodeApiError | undefined {
	const unreported = findUnreported(context, failures);
	if (failures.length === 0) return undefined;
	if (!mustNotFail && memory.mayFail(outage)) return toError(context, failures, clean);
	logAll(context, failures, clean);
	if (unreported.length === 0) return undefined;
	const error = toError(context, unreported, clean);
	return report(context, error) || mustNotFail ? undefined : error;
}

/**
 * Lets an error reach n8n from a poll that must not fail itself: n8n stores a failed execution and
 * runs the error workflow.
 *
 * @returns false where the host offers no way to do that
 */
function report(context: IPollFunctions, error: Error): boolean {
	try {
		context.__emitError(error);
		return true;
	} catch {
		return false;
	}
}

/** Whatever reading the parameters threw, as an error of n8n. */
export function toParameterError(context: IPollFunctions, error: unknown): NodeOperationError {
	const { message, advice: description } = invalid(error);
	return new NodeOperationError(context.getNode(), message, {
		description,
		failure: { cause: 'configuration-invalid' },
	});
}

/**
 * Says that the state could not be read: a new baseline must not be taken in silence.
 *
 * @param laterVersion the version of the state, where it is not damaged but too new for this package
 */
export function notifyDamage(context: IPollFunctions, laterVersion: number | undefined): void {
	const reason =
		laterVersion === undefined
			? ''
			: `A later version of this package has written it (state version ${laterVersion}): update the package again, or continue with this one. `;
	const error = new NodeOperationError(
		context.getNode(),
		'The trigger has taken a new baseline: what it remembered could not be read',
		{
			description: `${reason}What the service has now counts as known. Events since the last poll were not emitted: look them up in the service.`,
		},
	);
	if (report(context, error)) return;
	log(context, 'error', `${error.message}. ${error.description ?? ''}`);
}

/**
 * Says that nothing is remembered, except to somebody who publishes the workflow, and expects that.
 *
 * @param isEmptied something was remembered before
 */
export function notifyBaseline(
	context: IPollFunctions,
	isEmptied: boolean,
	emitExisting: boolean,
): void {
	const known = 'What the service has now counts as known.';
	if (isEmptied) {
		const reason = 'The trigger has taken a new baseline: its static data is missing in n8n.';
		log(context, 'warn', `${reason} ${known} Events since the last poll were not emitted.`);
	} else if (context.getActivationMode() !== 'activate' && !emitExisting) {
		log(context, 'info', `The trigger starts with a baseline. ${known}`);
	}
}

/** The last names under which each trigger polled, until more than one node was found to have its ID. */
const polledAs = new Recent<readonly string[]>();

/**
 * Says that two nodes of the workflow have the same ID, as after copying files: they share one state. A
 * poll doesn't know the other nodes; but a node that is renamed doesn't go to and fro between two names.
 */
export function notifySameId(context: IPollFunctions): void {
	const trigger = triggerId(context);
	const { name } = context.getNode();
	const before = polledAs.get(trigger) ?? [];
	if (before.length === 4 || before.at(-1) === name) return;
	const names = [...before, name].slice(-4);
	const isTwo = names.length === 4 && names[0] === names[2] && names[1] === names[3];
	polledAs.set(trigger, isTwo ? names : names.slice(-3));
	if (!isTwo) return;
	log(
		context,
		'warn',
		`${show(names[2])} and ${show(names[3])} have the same ID in this workflow, and lose events to each other. Delete one of them and add it again.`,
	);
}

/** Says that the credential leads to another account than before. */
export function notifyMove(context: IPollFunctions): void {
	log(
		context,
		'warn',
		'The trigger has taken a new baseline: the credential leads to another account or address than at the last poll. What the service has now counts as known.',
	);
}

/**
 * There is nothing in the service that a test event could be made of.
 *
 * @param nothing says what is missing
 * @param empty categories of which the service has nothing
 */
export function toNothingError(
	context: IPollFunctions,
	nothing: string,
	empty: readonly string[],
): NodeOperationError {
	return new NodeOperationError(context.getNode(), 'There is nothing to show yet', {
		description: `${inCategories(nothing, empty)} You can publish the workflow anyway.`,
	});
}

/**
 * Says in n8n's log of which categories the service has nothing: a poll has no place for a hint, and a
 * category that is written in another way would be waited for in silence.
 */
export function logEmpty(context: IPollFunctions, empty: readonly string[]): void {
	if (empty.length === 0) return;
	log(context, 'info', inCategories(NO_ENTRY, empty));
}

/** Says of which categories there is nothing, if any were entered. */
function inCategories(nothing: string, names: readonly string[]): string {
	if (names.length === 0) return `${nothing}.`;
	const named = names.slice(0, NAMED).map(show).join(', ');
	const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
	const categories = names.length === 1 ? 'category' : 'categories';
	return `${nothing} under the ${categories} ${named}${more}. If you have sent messages with it, check its spelling in 'Categories'.`;
}

function textOf({ title, failure }: Problem): string {
	return `${failure.message} (${title})`;
}

/** The shared advice for "too many requests" names an option that this node doesn't have. */
function adviceOf({ cause, retryAfterMs, advice }: Failure): string {
	if (cause !== 'rate-limited') return advice;
	const wait =
		retryAfterMs === undefined
			? ''
			: `The service asks to wait ${Math.ceil(retryAfterMs / 1000)} seconds. `;
	return `${wait}Poll less often, or watch fewer categories and messages.`;
}

function byWeight(a: Problem, b: Problem): number {
	return weightOf(b.failure) - weightOf(a.failure);
}

function weightOf({ cause }: Failure): number {
	return cause === undefined ? 0 : WEIGHTS[cause];
}

/** Writes a line to n8n's log, with where it comes from. */
function log(
	context: IPollFunctions,
	level: 'info' | 'warn' | 'error',
	text: string,
	details: object = {},
): void {
	const place = { node: context.getNode().name, workflowId: context.getWorkflow().id };
	context.logger[level](`SMS Trigger: ${text}`, { ...place, ...details });
}
