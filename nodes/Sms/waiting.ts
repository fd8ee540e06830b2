import {
	WAIT_INDEFINITELY,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type IRunExecutionData,
	type IWebhookDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import { answerPage, PAGE_HEADERS, preferredLanguage } from './answerPage';
import { dataOf, readAnswer, type Question } from './question';

/** The name of the question in n8n's node context, which is stored with the waiting execution. */
const MEMO = 'smsQuestion';

/** A question that was sent. */
interface Asked extends Question {
	/** The run of the node that asks; the link says the same. */
	run: string;
	/** Fields of the result that are known already. */
	sent: IDataObject;
}

/** The part of Express's response that is used here: a node can't import its type. */
interface Response {
	set(headers: Readonly<Record<string, string>>): unknown;
	status(code: number): { send(page: string): unknown };
}

/** The link of a question: n8n checks its signature before the node is asked. */
export const answerWebhooks: IWebhookDescription[] = (['GET', 'POST'] as const).map(
	(httpMethod) => ({
		name: 'default',
		httpMethod,
		responseMode: 'onReceived',
		responseData: '',
		path: '={{ $nodeId }}',
		restartWebhook: true,
		isFullPath: true,
	}),
);

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
	execution: IExecuteFunctions & { setSignatureValidationRequired?: () => void },
	question: Question,
	sent: IDataObject,
	until = WAIT_INDEFINITELY,
): Promise<void> {
	const asked: Asked = { ...question, run: runOf(execution), sent };
	execution.getContext('node')[MEMO] = asked;
	// n8n 1 checks the signature of a link only where a node asks for it; n8n 2 always does.
	execution.setSignatureValidationRequired?.();
	// n8n passes on the input of the node then, as a disabled node would.
	execution.getExecuteData().data.main = outputOf(asked, false, dataOf(asked.type, null));
	await execution.putExecutionToWait(until);
}

/**
 * Shows the question, and takes the answer. Opening the link decides nothing, so that previews and
 * scanners of links can't. Never throws: n8n would go on with the execution.
 */
export async function takeAnswer(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const { method, headers } = this.getRequestObject() as { method: string; headers: IDataObject };
	const response = this.getResponseObject() as Response;
	response.set(PAGE_HEADERS);
	const language = preferredLanguage(headers['accept-language']);
	const asked = askedBehind(this);
	if (asked === undefined) return show(response, 410, answerPage(language, 'over'));
	if (method !== 'POST') return show(response, 200, answerPage(language, asked));
	const answer = readAnswer(asked, this.getBodyData());
	if (answer === undefined) return show(response, 422, answerPage(language, asked));
	// n8n sends it when the execution is on its way again: of two presses at once, one is told so.
	return await Promise.resolve({
		webhookResponse: answerPage(language, 'recorded'),
		workflowData: outputOf(asked, true, { ...answer, respondedAt: new Date().toISOString() }),
	});
}

/** The item with which the workflow continues. */
function outputOf({ sent }: Asked, answered: boolean, data: IDataObject): INodeExecutionData[][] {
	return [[{ json: { answered, data, ...sent }, pairedItem: { item: 0 } }]];
}

/** @returns undefined where the execution waits for another question by now, or for none */
function askedBehind(context: IWebhookFunctions): Asked | undefined {
	// n8n's context has the execution, without declaring it.
	const { runExecutionData } = context as { runExecutionData?: IRunExecutionData };
	// `NodeHelpers.getContext` would throw where there is none.
	const memory = runExecutionData?.executionData?.contextData[`node:${context.getNode().name}`];
	const asked = memory?.[MEMO] as Asked | undefined;
	const { q } = context.getQueryData() as { q?: unknown };
	return asked?.run === q ? asked : undefined;
}

/** Shows a page, and lets the execution wait on. */
function show(response: Response, status: number, page: string): IWebhookResponseData {
	response.status(status).send(page);
	return { noWebhookResponse: true };
}
