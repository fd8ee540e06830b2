import type { IExecuteFunctions, IExecuteSingleFunctions } from 'n8n-workflow';

/** Undeclared parts of n8n's contexts. */
interface Undeclared {
	additionalData?: { rootExecutionMode?: string };
}

/**
 * Whether someone tries the workflow out in the editor: a manual execution, its retry from the list of
 * executions, or a sub-workflow that it calls. False for all that runs in production.
 */
export function isManual(
	context: Pick<IExecuteFunctions | IExecuteSingleFunctions, 'getMode' | 'getExecutionContext'>,
): boolean {
	const mode = context.getMode();
	if (mode === 'manual') return true;
	// n8n hands on how an execution began, when it is retried (older versions don't).
	if (mode === 'retry') return context.getExecutionContext?.()?.source === 'manual';
	const { additionalData } = context as Undeclared;
	return mode === 'integrated' && additionalData?.rootExecutionMode === 'manual';
}

/** n8n's log, which names the node. */
export function logOf(context: Pick<IExecuteFunctions, 'logger' | 'getNode'>) {
	return (text: string) => context.logger.info(`${context.getNode().name}: ${text}`);
}
