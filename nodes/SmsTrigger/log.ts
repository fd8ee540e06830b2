import {
	NodeOperationError,
	type IDataObject,
	type IPollFunctions,
	type NodeApiError,
} from 'n8n-workflow';
import type { Failure, FailureCause } from '../shared/http/failure';
import { toNodeError } from '../shared/http/nodeError';
import { askedWait } from '../shared/http/statuses';
import { oneLine, startOf } from '../shared/service/InputError';

/** A source that failed. */
export interface Problem {
	key: string;
	title: string;
	failure: Failure;
	/** It found out nothing at all. */
	isWhole: boolean;
}

/** Of several failures, the one that a user can do something about is the one to raise. */
const WEIGHTS: Record<FailureCause, number> = {
	'credential-invalid': 5,
	'configuration-invalid': 4,
	'rate-limited': 3,
	'quota-exhausted': 2,
	'temporarily-unavailable': 1,
};
/** Other failures that an error names. */
const NAMED = 10;
const LONGEST_LINE = 1_000;

const KNOWN = 'What the service has now counts as known.';
export const BASELINE = `The trigger starts. ${KNOWN}`;
export const UNREADABLE = `The saved state is damaged, or of another version of this package. ${KNOWN} Look up in the service what came since the last poll.`;
/** The service can't be asked which categories exist. */
export const nothingOf = (category: string) =>
	`The service has nothing of the category '${category}' yet. If messages were sent with it, check its spelling in 'Categories'.`;
export const ANOTHER_ACCOUNT = `The credential has another key or address than at the last poll: new baseline. ${KNOWN}`;

const NUMBER = /(?<!\d)(\+|00)?\d(?:[\s.()/\u2010-\u2015-]{0,2}\d){7,14}(?!\d)/g;

/** One line of printable text, with phone numbers masked: `+33 6 ** ** ** 34`. */
export function maskedLine(text: string): string {
	const line = oneLine(text).replace(NUMBER, (number) => {
		const digits = number.replace(/\D/g, '').replace(/^00/, '');
		const isNational = digits.startsWith('0');
		const start = isNational ? digits.slice(0, 2) : `${digits.slice(0, 2)} ${digits[2]}`;
		return `${/^(\+|00)/.test(number) ? '+' : ''}${start} ** ** ** ${digits.slice(-2)}`;
	});
	return line.length > LONGEST_LINE ? `${startOf(line, LONGEST_LINE)}…` : line;
}

/** Writes a line to n8n's log, with where it comes from. */
export function log(
	context: IPollFunctions,
	level: 'info' | 'warn' | 'error',
	text: string,
	details: IDataObject = {},
): void {
	const place = { node: context.getNode().name, workflowId: context.getWorkflow().id };
	context.logger[level](maskedLine(`SMS Trigger: ${text}`), { ...place, ...details });
}

/**
 * Writes failures that don't stop the poll: each one once, until its source is well.
 *
 * @param failing keys of the sources whose failure is in the log
 * @returns these keys for the next poll
 */
export function logOnce(
	context: IPollFunctions,
	problems: readonly Problem[],
	failing: ReadonlySet<string> = new Set(),
): Set<string> {
	for (const problem of problems) {
		if (failing.has(problem.key)) continue;
		const { httpCode, code } = problem.failure;
		const text = `${textOf(problem)}. ${adviceOf(problem.failure)}`;
		log(context, 'warn', text, { httpCode, code });
	}
	return new Set(problems.map(({ key }) => key));
}

/** One error for all failures of a poll, classified by the one that a user can do most about. */
export function toError(context: IPollFunctions, problems: readonly Problem[]): NodeApiError {
	const weightOf = ({ failure: { cause } }: Problem) => (cause ? WEIGHTS[cause] : 0);
	const [gravest, ...others] = [...problems].sort((a, b) => weightOf(b) - weightOf(a));
	const more = others.length > NAMED ? [`${others.length - NAMED} more`] : [];
	const also = [...others.slice(0, NAMED).map(textOf), ...more].join('; ');
	const advice = adviceOf(gravest.failure);
	return toNodeError(context.getNode(), {
		...gravest.failure,
		message: maskedLine(textOf(gravest)),
		advice: maskedLine(also === '' ? advice : `${advice} Also: ${also}`),
	});
}

/** An error about the fields of the node, from what reading them threw. */
export function toParameterError(context: IPollFunctions, error: unknown): NodeOperationError {
	const { message, description } = error as { message?: string; description?: string };
	return new NodeOperationError(context.getNode(), message ?? String(error), {
		description,
		failure: { cause: 'configuration-invalid' },
	});
}

function textOf({ title, failure }: Problem): string {
	return `${failure.message} (${title})`;
}

/** The shared advice for "too many requests" names an option that this node doesn't have. */
function adviceOf({ cause, retryAfterMs, advice }: Failure): string {
	if (cause !== 'rate-limited') return advice;
	const wait = retryAfterMs === undefined ? '' : `${askedWait(retryAfterMs)} `;
	return `${wait}Poll less often, or watch fewer categories and messages.`;
}
