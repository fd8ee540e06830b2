import {
	NodeHelpers,
	WAIT_INDEFINITELY,
	type IDataObject,
	type IExecuteFunctions,
	type IRunExecutionData,
	type IWebhookFunctions,
} from 'n8n-workflow';
import { NO_ANSWER, type Question } from './question';

/** The name of the question in n8n's node context. */
const MEMO = 'smsQuestion';
/** The query parameter that tells the questions of an execution apart. */
const RUN = 'q';

/** A question that was sent, in n8n's node context: it is stored with the waiting execution. */
export interface Asked {
	/** Which run of the node asks; the link says the same. */
	run: string;
	question: Question;
	/** Fields of the result that are known already. */
	sent: IDataObject;
}

/** How an execution waits for an answer. */
export type Waiting = ReturnType<typeof waitingOf>;

/** n8n 1 checks the signature of a link only where a node asks for it; n8n 2 always does. */
interface Older extends IExecuteFunctions {
	setSignatureValidationRequired?: () => void;
}

export function waitingOf(context: IExecuteFunctions) {
	const run = String(context.getWorkflowDataProxy(0).$runIndex);
	const memory = context.getContext('node');
	return {
		/** Snapshot ID of the question of an earlier try or execution: its link no longer works. */
		earlier: (memory[MEMO] as Asked | undefined)?.sent.snapshotId,
		/** Leads to the node's webhook in this execution. Each run of a loop has its own. */
		link: context.getSignedResumeUrl({ [RUN]: run }),
		/**
		 * Lets the execution wait for an answer once the node is done. It continues without one when the time is over.
		 *
		 * @param sent fields of the result that are known already
		 */
		async forAnswer(question: Question, sent: IDataObject, until: Date | undefined) {
			memory[MEMO] = { run, question, sent } satisfies Asked;
			const json = { answered: false, data: NO_ANSWER[question.type], ...sent };
			(context as Older).setSignatureValidationRequired?.();
			// n8n passes on the input of the node then, as a disabled node would.
			context.getExecuteData().data.main = [[{ json, pairedItem: { item: 0 } }]];
			await context.putExecutionToWait(until ?? WAIT_INDEFINITELY);
		},
	};
}

/** @returns undefined where the execution waits for another question by now, or for none */
export function askedBehind(context: IWebhookFunctions): Asked | undefined {
	// n8n's context has the execution, without declaring it.
	const { runExecutionData } = context as { runExecutionData?: IRunExecutionData };
	if (runExecutionData?.executionData === undefined) return undefined;
	const memory = NodeHelpers.getContext(runExecutionData, 'node', context.getNode());
	const asked = memory[MEMO] as Asked | undefined;
	const { [RUN]: run } = context.getQueryData() as Record<string, unknown>;
	return asked?.run === run ? asked : undefined;
}
