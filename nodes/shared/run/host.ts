import type {
	IContextObject,
	IExecuteFunctions,
	IExecutePaginationFunctions,
	INode,
} from 'n8n-workflow';
import type { Connection } from '../http/connection';
import type { Account } from '../http/credential';

/** n8n's part of a run, whatever runs the node. */
export interface Host {
	node: INode;
	continueOnFail: boolean;
	runIndex: number;
	/** n8n's context; undefined where an agent calls the node by itself. */
	execution: IExecuteFunctions | undefined;
	/** An agent calls the node, so there is only one item. */
	isTool: boolean;
	/** n8n's node context: it survives Retry On Fail and "Retry execution". */
	memory: IContextObject;
	signal: AbortSignal | undefined;
	connection: Connection;
	account: Account;
	/** Somebody tries the workflow out in the editor. */
	isManual: boolean;
	/** IANA name of the workflow's time zone. */
	timeZone: string;
	/** When the run began; milliseconds. */
	now: number;
	/** Writes into n8n's log. */
	log: (text: string) => void;
}

export function hostOf(
	context: IExecuteFunctions | IExecutePaginationFunctions,
	own: Pick<Host, 'connection' | 'runIndex' | 'execution'>,
): Host {
	const node = context.getNode();
	return {
		...own,
		account: own.connection.account,
		node,
		continueOnFail: context.continueOnFail(),
		// Where the agent asks the engine, n8n notes at the node where its result goes.
		isTool: own.execution === undefined || node.rewireOutputLogTo === 'ai_tool',
		memory: context.getContext('node'),
		signal: context.getExecutionCancelSignal(),
		isManual: isManual(context),
		timeZone: context.getTimezone(),
		now: Date.now(),
		log: (text) => context.logger.info(`${node.name}: ${text}`),
	};
}

/** Undeclared parts of n8n's contexts. */
interface Undeclared {
	additionalData?: { rootExecutionMode?: string };
}

/**
 * Whether someone tries the workflow out in the editor: a manual execution, its retry from the list of
 * executions, or a sub-workflow that it calls. False for all that runs in production.
 */
function isManual(context: IExecuteFunctions | IExecutePaginationFunctions): boolean {
	const mode = context.getMode();
	if (mode === 'manual') return true;
	// n8n hands on how an execution began, when it is retried (older versions don't).
	if (mode === 'retry') return context.getExecutionContext?.()?.source === 'manual';
	const { additionalData } = context as Undeclared;
	return mode === 'integrated' && additionalData?.rootExecutionMode === 'manual';
}
