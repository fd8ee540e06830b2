import {
	NodeHelpers,
	type IDataObject,
	type IExecuteFunctions,
	type IRunExecutionData,
	type IWebhookFunctions,
} from 'n8n-workflow';
import type { Question } from './question';

/** The name of the question in n8n's node context. */
const MEMO = 'smsQuestion';
/** The query parameter that tells the questions of an execution apart. */
const RUN = 'q';

/** A question that was sent, in n8n's node context: it is stored with the waiting execution. */
export interface Asked {
	/** Which run of the node asks; the link says the same. */
	run: string;
	/** The link leads to this execution, and to no retry of it. */
	execution: string;
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
	const execution = context.getExecutionId();
	const memory = context.getContext('node');
	return {
		/** Leads to the node's webhook in this execution. Each run of a loop has its own. */
		link: context.getSignedResumeUrl({ [RUN]: run }),
		/** Whether a message with this snapshot has a link to another execution, which this one retries. */
		isOfAnother(snapshotId: unknown): boolean {
			const asked = memory[MEMO] as Asked | undefined;
			const isSame = snapshotId !== undefined && asked?.sent.snapshotId === snapshotId;
			return isSame && !(asked.run === run && asked.execution === execution);
		},
		/** Keeps the question for the webhook, and for a retry. */
		keep(question: Question, sent: IDataObject): void {
			memory[MEMO] = { run, execution, question, sent } satisfies Asked;
		},
		/** Lets the execution wait once the node is done. When the time is over, it continues with `unanswered`. */
		async until(date: Date, unanswered: IDataObject): Promise<void> {
			// n8n then passes on the input of the node, as a disabled node would.
			const { data } = context.getExecuteData();
			(context as Older).setSignatureValidationRequired?.();
			data.main = [[{ json: unanswered, pairedItem: { item: 0 } }]];
			await context.putExecutionToWait(date);
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
