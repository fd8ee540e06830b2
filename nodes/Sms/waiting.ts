import {
	NodeHelpers,
	WAIT_INDEFINITELY,
	type IDataObject,
	type IExecuteFunctions,
	type IRunExecutionData,
	type IWebhookFunctions,
} from 'n8n-workflow';
import { dataOf, type Question } from './question';

/** The name of the question in n8n's node context. */
const MEMO = 'smsQuestion';

/** A question that was sent, in n8n's node context: it is stored with the waiting execution. */
interface Asked {
	/** Which run of the node asks; the link says the same. */
	run: string;
	question: Question;
	/** Fields of the result that are known already. */
	sent: IDataObject;
}

/** n8n 1 checks the signature of a link only where a node asks for it; n8n 2 always does. */
interface Older extends IExecuteFunctions {
	setSignatureValidationRequired?: () => void;
}

/** Leads to the node's webhook in this execution. `q` tells the questions of a loop apart. */
export function linkOf(execution: IExecuteFunctions): string {
	return execution.getSignedResumeUrl({ q: runOf(execution) });
}

function runOf(execution: IExecuteFunctions): string {
	return String(execution.getWorkflowDataProxy(0).$runIndex);
}

/**
 * Lets the execution wait for an answer once the node is done. It continues without one when the time is over.
 *
 * @param sent fields of the result that are known already
 */
export async function waitForAnswer(
	execution: Older,
	question: Question,
	sent: IDataObject,
	until = WAIT_INDEFINITELY,
): Promise<void> {
	const asked: Asked = { run: runOf(execution), question, sent };
	execution.getContext('node')[MEMO] = asked;
	const json = { answered: false, data: dataOf(question.type, null), ...sent };
	execution.setSignatureValidationRequired?.();
	// n8n passes on the input of the node then, as a disabled node would.
	execution.getExecuteData().data.main = [[{ json, pairedItem: { item: 0 } }]];
	await execution.putExecutionToWait(until);
}

/** @returns undefined where the execution waits for another question by now, or for none */
export function askedBehind(context: IWebhookFunctions): Asked | undefined {
	// n8n's context has the execution, without declaring it.
	const { runExecutionData } = context as { runExecutionData?: IRunExecutionData };
	// `getContext` would throw, and n8n would go on as if somebody had answered.
	if (runExecutionData?.executionData === undefined) return undefined;
	const memory = NodeHelpers.getContext(runExecutionData, 'node', context.getNode());
	const asked = memory[MEMO] as Asked | undefined;
	const { q } = context.getQueryData() as { q?: unknown };
	return asked?.run === q ? asked : undefined;
}
