import type { IWebhookDescription, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { answerPage, PAGE_HEADERS, preferredLanguage } from './answerPage';
import { readAnswer } from './question';
import { askedBehind } from './waiting';

/** The part of Node's request and response that is used here: a node can't import their types. */
interface Request {
	method?: string;
	headers: Record<string, string | undefined>;
}
interface Response {
	statusCode: number;
	setHeader(name: string, value: string): unknown;
	end(body: string): unknown;
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

/**
 * Shows the question, and takes the answer. Opening the link decides nothing, so that previews and
 * scanners of links can't. Never throws: n8n would go on with the execution.
 */
export async function takeAnswer(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const { method, headers } = this.getRequestObject() as Request;
	const response = this.getResponseObject() as Response;
	for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
	const language = preferredLanguage(headers['accept-language']);
	const isPosted = method === 'POST';
	const asked = askedBehind(this);
	const data = asked && isPosted ? readAnswer(asked.question, this.getBodyData()) : undefined;
	if (asked === undefined || data === undefined) {
		response.statusCode = asked === undefined ? 410 : isPosted ? 422 : 200;
		response.end(answerPage(language, asked?.question ?? 'over', isPosted));
		return { noWebhookResponse: true };
	}
	const respondedAt = new Date().toISOString();
	const json = { answered: true, data: { ...data, respondedAt }, ...asked.sent };
	// n8n sends it when the execution is on its way again: of two presses at once, one is told so.
	return await Promise.resolve({
		webhookResponse: answerPage(language, 'recorded'),
		workflowData: [[{ json, pairedItem: { item: 0 } }]],
	});
}
