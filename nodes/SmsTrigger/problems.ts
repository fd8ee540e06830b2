import { NodeOperationError, type IPollFunctions, type NodeApiError } from 'n8n-workflow';
import { redact } from '../shared/http/secret';
import { describeInvalid, toNodeError } from '../shared/run/errors';
import type { Failure, FailureCause } from '../shared/http/failure';
import type { Problem } from './looks';

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
export async function toError(
	context: IPollFunctions,
	problems: readonly Problem[],
): Promise<NodeApiError> {
	const secret = await keyOf(context);
	const [gravest, ...others] = [...problems].sort(byWeight);
	const retryAfterMs = problems
		.filter(({ failure }) => failure.cause === gravest.failure.cause)
		.reduce<
			number | undefined
		>((longest, { failure }) => larger(longest, failure.retryAfterMs), undefined);
	const lines = [adviceOf(gravest.failure)];
	if (others.length > 0) {
		lines.push('Others at the same time:', ...others.slice(0, NAMED).map(textOf));
		if (others.length > NAMED) lines.push(`and ${others.length - NAMED} more`);
	}
	return toNodeError(context.getNode(), {
		...gravest.failure,
		message: redact(textOf(gravest), secret),
		advice: redact(lines.join('\n'), secret),
		retryAfterMs,
	});
}

/** Writes failures to n8n's log, where they don't stop anything. The key is not in it. */
export async function logAll(context: IPollFunctions, problems: readonly Problem[]): Promise<void> {
	if (problems.length === 0) return;
	const secret = await keyOf(context);
	const { name: node } = context.getNode();
	const { id: workflowId } = context.getWorkflow();
	for (const problem of problems) {
		const { httpCode, code } = problem.failure;
		const text = `${textOf(problem)}. ${adviceOf(problem.failure)}`;
		context.logger.warn(`SMS Trigger: ${redact(text, secret)}`, {
			node,
			workflowId,
			httpCode,
			code,
		});
	}
}

/**
 * Lets an error reach n8n from a poll that must not fail itself: n8n stores a failed execution and
 * runs the error workflow.
 *
 * @returns false where the host offers no way to do that
 */
export function report(context: IPollFunctions, error: Error): boolean {
	try {
		context.__emitError(error);
		return true;
	} catch {
		return false;
	}
}

/** Whatever reading the parameters threw, as an error of n8n. */
export function toParameterError(context: IPollFunctions, error: unknown): NodeOperationError {
	const { message, description } = describeInvalid(error);
	return new NodeOperationError(context.getNode(), message, {
		description,
		failure: { cause: 'configuration-invalid' },
	});
}

/** Says that the state could not be read: a new baseline must not be taken in silence. */
export function notifyDamage(context: IPollFunctions): void {
	const error = new NodeOperationError(
		context.getNode(),
		'The trigger has started anew: what it remembered could not be read',
		{
			description:
				'What the service has now counts as known. Events that came after the last poll before this one were not handed out: look them up in the service.',
		},
	);
	if (report(context, error)) return;
	context.logger.error(`SMS Trigger: ${error.message}. ${error.description ?? ''}`, {
		node: context.getNode().name,
		workflowId: context.getWorkflow().id,
	});
}

/** There is nothing in the service that a test event could be made of. */
export function toNothingError(context: IPollFunctions): NodeOperationError {
	return new NodeOperationError(context.getNode(), 'There is nothing to show yet', {
		description:
			"The service has no entry for the chosen events. Let a phone reply, or check 'Categories', then fetch again. The workflow can be activated all the same.",
	});
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

function larger(a: number | undefined, b: number | undefined): number | undefined {
	if (a === undefined || b === undefined) return a ?? b;
	return Math.max(a, b);
}

async function keyOf(context: IPollFunctions): Promise<string> {
	const { apiKey } = await context
		.getCredentials<{ apiKey?: unknown }>('smsServiceApi')
		.catch(() => ({ apiKey: '' }));
	return typeof apiKey === 'string' ? apiKey.trim() : '';
}
