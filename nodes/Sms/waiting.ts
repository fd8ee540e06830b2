import {
	NodeHelpers,
	type IDataObject,
	type IExecuteFunctions,
	type IRunExecutionData,
	type IWebhookFunctions,
} from 'n8n-workflow';

/** The name of the question in n8n's node context. */
const MEMO = 'smsQuestion';
/** The query parameter that tells the questions of an execution apart. */
const RUN = 'q';

/** The question, kept while the execution waits. */
export interface Asked<Q = unknown> {
	question: Q;
	/** Fields of the result that are known already. */
	sent: IDataObject;
}

/** A question that is out, in n8n's node context: it is stored with the waiting execution. */
interface Memo {
	/** Which run of the node asks; the link says the same. */
	run: string;
	/** The link leads to this execution, and to no retry of it. */
	execution: string;
	asked: Asked;
}

/** How the execution of a custom operation waits for an answer from outside. */
export interface Waiting<Q = unknown> {
	/** Leads to the node's webhook in this execution and in this run of the node; signed by n8n. */
	readonly link: string;
	/** The last question of the node: in this execution, or in the one that it is a retry of. */
	recall(): Memo | undefined;
	/** Whether its link leads here. */
	isOwn(memo: Memo | undefined): boolean;
	/**
	 * Keeps what is asked, for the webhook and for a retry.
	 *
	 * @returns puts back what was there
	 */
	keep(asked: Asked<Q>): () => void;
	/**
	 * Lets the execution wait when the node is done.
	 *
	 * @param unanswered the fields of the item that the workflow continues with if nobody answers in time
	 */
	until(date: Date, unanswered: IDataObject): Promise<void>;
}

/** n8n 1 checks the signature of a link only where a node asks for it; n8n 2 always does. */
interface Older extends IExecuteFunctions {
	setSignatureValidationRequired?: () => void;
}

export function waitingOf(context: IExecuteFunctions): Waiting {
	const run = String(context.getWorkflowDataProxy(0).$runIndex);
	const execution = context.getExecutionId();
	const memory = context.getContext('node');
	return {
		// In a loop, each run has a link of its own: an old one must not answer a later question.
		link: context.getSignedResumeUrl({ [RUN]: run }),
		recall: () => memory[MEMO] as Memo | undefined,
		isOwn: (memo) => memo?.run === run && memo.execution === execution,
		keep: (asked) => {
			const before: unknown = memory[MEMO];
			memory[MEMO] = { run, execution, asked } satisfies Memo;
			return () => {
				memory[MEMO] = before;
			};
		},
		async until(date, unanswered) {
			// When the time is over, n8n passes on the input of the node, as a disabled node would: here that
			// says that nobody answered.
			const { data } = context.getExecuteData();
			(context as Older).setSignatureValidationRequired?.();
			data.main = [[{ json: unanswered, pairedItem: { item: 0 } }]];
			await context.putExecutionToWait(date);
		},
	};
}

/**
 * The question that the execution waits for, where a link of a message was opened. Never throws: n8n would go on with
 * the execution.
 *
 * @returns undefined where it is another question by now, or none
 */
export function askedBehind(context: IWebhookFunctions): Asked | undefined {
	// n8n's context has the execution, without declaring it.
	const { runExecutionData } = context as { runExecutionData?: IRunExecutionData };
	if (runExecutionData?.executionData === undefined) return undefined;
	const memory = NodeHelpers.getContext(runExecutionData, 'node', context.getNode());
	const memo = memory[MEMO] as Memo | undefined;
	const { [RUN]: run } = context.getQueryData() as Record<string, unknown>;
	return memo !== undefined && memo.run === run ? memo.asked : undefined;
}
