import type {
	IContextObject,
	IDataObject,
	IExecuteFunctions,
	IExecutePaginationFunctions,
	INode,
	IRunExecutionData,
} from 'n8n-workflow';
import type { ItemRun } from '../fields/item';
import type { Connection } from '../http/connection';
import type { Account } from '../http/credential';

/** The part of a run in which n8n's contexts differ. */
interface Context {
	connection: Connection;
	runIndex: number;
	/** Undefined where n8n's router runs the node. */
	execution: IExecuteFunctions | undefined;
	/** Reads without n8n's expression engine; undefined where n8n has to be asked. */
	plain?: (name: string, json: IDataObject) => { value: unknown } | undefined;
	/** @throws {Error} of n8n, for an expression that can't be evaluated */
	parameter: (index: number, name: string, fallback?: unknown) => unknown;
	/** A resource locator, by the value that was chosen or typed in it. */
	chosen: (index: number, name: string) => unknown;
	evaluate: (index: number, text: string) => unknown;
}

/** n8n's part of a run, whatever runs the node. */
export interface Host extends ItemRun, Context {
	execution: IExecuteFunctions | undefined;
	account: Account;
	node: INode;
	continueOnFail: boolean;
	/** Another one for each retry by a person; the same for Retry On Fail. */
	executionId: string;
	/** n8n's node context: it survives Retry On Fail and "Retry execution". */
	memory: IContextObject;
	/** Those of all nodes of the execution, as they are now. */
	memories: () => IContextObject[];
	signal: AbortSignal | undefined;
	/** Somebody tries the workflow out in the editor. */
	isManual: boolean;
	/** n8n shows its error in the workflow that called it, too, whose retry would begin it anew. */
	isSubWorkflow: boolean;
	/** Writes into n8n's log. */
	log: (text: string) => void;
}

export function hostOf(
	context: IExecuteFunctions | IExecutePaginationFunctions,
	own: Context,
): Host {
	const node = context.getNode();
	return {
		...own,
		account: own.connection.account,
		node,
		continueOnFail: context.continueOnFail(),
		// Where the agent asks the engine, n8n notes at the node where its result goes.
		isTool: own.execution === undefined || node.rewireOutputLogTo === 'ai_tool',
		executionId: context.getExecutionId(),
		memory: context.getContext('node'),
		memories: () => memoriesOf(context),
		signal: context.getExecutionCancelSignal(),
		isManual: isManual(context),
		isSubWorkflow: context.getMode() === 'integrated',
		timeZone: context.getTimezone(),
		now: Date.now(),
		log: (text) => context.logger.info(`${node.name}: ${text}`),
	};
}

/** n8n's context has the execution, without declaring it. */
function memoriesOf(context: object): IContextObject[] {
	const { runExecutionData } = context as { runExecutionData?: IRunExecutionData };
	return Object.values(runExecutionData?.executionData?.contextData ?? {});
}

const TRIALS = ['manual', 'evaluation'];

/**
 * Whether someone tries the workflow out in the editor: a manual execution, an evaluation, the retry of one from the
 * list of executions, or a sub-workflow that it calls. False for all that runs in production.
 */
function isManual(context: IExecuteFunctions | IExecutePaginationFunctions): boolean {
	const mode = context.getMode();
	if (TRIALS.includes(mode)) return true;
	// n8n hands on how an execution began, when it is retried (older versions don't).
	if (mode === 'retry') return TRIALS.includes(context.getExecutionContext?.()?.source ?? '');
	// n8n's context has it, without declaring it.
	const { additionalData = {} } = context as { additionalData?: { rootExecutionMode?: string } };
	return mode === 'integrated' && TRIALS.includes(additionalData.rootExecutionMode ?? '');
}
