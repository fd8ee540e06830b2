import type { IWebhookDescription, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { askedBehind, type Asked } from './waiting';
import { askPage, notePage, PAGE_HEADERS, preferredLanguage } from './answerPage';
import { judgeAnswer, type Question } from './question';

/** The parts of Node's request and response that are used here, whose types a node can't import. */
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
 * scanners of links can't; only what the page offers, posted, is an answer. Never throws: n8n would go on
 * with the execution.
 */
export async function takeAnswer(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const request = this.getRequestObject() as Request;
	const asked = askedBehind(this) as Asked<Question> | undefined;
	const wanted = preferredLanguage(request.headers['accept-language']);
	const language = asked?.question.language ?? wanted;
	if (asked === undefined) return show(this, notePage(language, 'over'), 410);
	const { question, sent } = asked;
	if (request.method !== 'POST') return show(this, askPage(question, language));
	const posted: unknown = this.getBodyData();
	const answer = judgeAnswer(question, posted);
	if ('problem' in answer) {
		const { answer: text } = (posted ?? {}) as { answer?: unknown };
		const again = { ...answer, text: typeof text === 'string' ? text : '' };
		return show(this, askPage(question, language, again), 422);
	}
	const data = { ...answer.data, respondedAt: new Date().toISOString() };
	// Whoever answers has got the message, also where the service's own answer was lost.
	const json = { answered: true, data, ...sent, status: 'sent' };
	setHeaders(this);
	// n8n sends it when the execution is on its way again: of two presses at once, one is told so.
	return await Promise.resolve({
		webhookResponse: notePage(language, 'recorded'),
		workflowData: [[{ json, pairedItem: { item: 0 } }]],
	});
}

function show(context: IWebhookFunctions, html: string, status = 200): IWebhookResponseData {
	setHeaders(context);
	const response = context.getResponseObject() as Response;
	response.statusCode = status;
	response.end(html);
	return { noWebhookResponse: true };
}

function setHeaders(context: IWebhookFunctions): void {
	const response = context.getResponseObject() as Response;
	for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
}
