import type { INodeProperties } from 'n8n-workflow';
import { refuseNoValue } from '../shared/fields/expressions';
import type { Item } from '../shared/fields/item';
import { messageField, messageTypeField, senderField } from '../shared/fields/messageFields';
import { recipientField } from '../shared/fields/number';
import { isPrivateHost } from '../shared/http/baseUrl';
import { testRunsField } from '../shared/lookups/testRuns';
import type { Client } from '../shared/run/client';
import { defineOperation } from '../shared/run/define';
import type { RunInfo } from '../shared/run/operation';
import { StepFailed } from '../shared/run/outcome';
import { readSwitch } from '../shared/service/choices';
import { InputError } from '../shared/service/InputError';
import { SEND } from '../shared/service/sentMessages';
import { jsonOptions, resendUnknown } from './fields';
import { limitWaitTime, readWaitLimit } from './limitWaitTime';
import { optionalText } from './message';
import { plain, readResponse, responseFields } from './question';
import { readAsked } from './questionText';
import { SENDING, sendJson } from './sending';
import { linkOf, waitForAnswer } from './waiting';

const questionField: INodeProperties = {
	...messageField,
	placeholder: 'e.g. Order 1042 is 20 % over budget. Approve it?',
	description:
		'What to ask the recipient. The link to the answer page is added at the end, or where you write {link}.',
	hint: 'The link takes about 160 characters. Long messages are cut after 5 segments; the page shows all.',
};

const companyName: INodeProperties = {
	displayName: 'Company Name',
	name: 'companyName',
	type: 'string',
	default: '',
	placeholder: 'e.g. My Shop',
	description:
		'Who asks, as shown on the page. Without it, the page shows the sender or, if there is none, the address of your n8n.',
};

const privateLink: INodeProperties = {
	displayName: 'Allow Private Link',
	name: 'allowPrivateLink',
	type: 'boolean',
	// Added to turn it on.
	default: true,
	description:
		"Whether to send the question also if n8n's address is in a private network, such as 192.168.1.20. Only phones in that network can open the link.",
};

/** A message with a link to a page; the execution waits for the answer that is given there. */
export const sendAndWait = defineOperation<QuestionMessage>({
	...SENDING,
	name: 'Send SMS and Wait for Response',
	value: 'sendAndWait',
	action: 'Send SMS and wait for response',
	description:
		'Send one SMS with a link to a page, and continue when the recipient has answered there',
	builderHint:
		'Use to ask a person by text for approval, a choice or a free answer, and wait for the answer. One question per execution. The recipient answers on a page behind a link, not by replying; for replies use SMS Trigger.',
	fields: [
		messageTypeField,
		recipientField,
		questionField,
		{
			...senderField,
			hint: "Also shown on the page, unless you add 'Company Name' under Options",
		},
		testRunsField,
		...responseFields,
	],
	options: [
		// A question is sent now.
		...jsonOptions.filter(({ name }) => name !== 'date'),
		companyName,
		limitWaitTime,
		privateLink,
		resendUnknown,
	],
	request: SEND,
	prepare: readQuestionMessage,
	guards: (run) => ({
		guards: [
			([{ prepared }], client) => {
				askOne(run);
				checkLink(prepared, run, client);
			},
		],
	}),
	words: {
		...SENDING.words,
		ifUnknown: () =>
			"If the question arrived, it can't be answered: its link leads to an execution or try that has ended.",
	},
	async execute(prepared, client) {
		const { execution, question, until, extra } = prepared;
		const { status, ...receipt } = await sendJson(prepared, client);
		const sent = { status, ...extra, ...receipt };
		await waitForAnswer(execution, question, sent, until);
		return { answered: false, ...sent };
	},
	/** An execution that was stopped before it waited is retried as another one, with another link. */
	resultOf() {
		throw new StepFailed({
			status: 'notSent',
			message: 'The question was sent by an earlier execution or try, which has ended',
			advice: "Its link no longer works, and the question isn't sent again automatically. Start a new execution to ask again.",
			origin: 'earlier',
		});
	},
});

type QuestionMessage = ReturnType<typeof readQuestionMessage>;

/** @throws InputError */
function readQuestionMessage(item: Item) {
	const { execution } = item.run;
	if (execution === undefined) {
		throw new InputError(
			"'Send SMS and Wait for Response' can't be used here, because n8n can't wait for tools that are called in this way",
			'Put the SMS node between the agent and its tool as a human review step, or use a sub-workflow as the tool.',
		);
	}
	const link = linkOf(execution);
	const { message, text } = readAsked(item, link);
	const { name, displayName } = privateLink;
	const allowsPrivateLink = readSwitch(item.options, name, displayName);
	const company = optionalText(item.options, 'companyName', 'Company Name');
	refuseNoValue(item, 'options.companyName', company ?? '', 'Company Name');
	const from = plain(company ?? message.sender ?? '') || new URL(link).hostname;
	const question = { text, from, ...readResponse(item) };
	const { until, expired = message.expired } = readWaitLimit(item);
	return { ...message, execution, link, allowsPrivateLink, question, until, expired };
}

/**
 * An execution waits for one answer. n8n's own nodes ask for the first item and pass on all of them.
 *
 * @throws InputError
 */
function askOne({ items }: RunInfo): void {
	if (items === 1) return;
	throw new InputError(
		`'Send SMS and Wait for Response' can only ask one question at a time, but there are ${items} items`,
		"To ask one after the other, add a Loop Over Items node with batch size 1 before this node. To ask for the first item only, turn on 'Execute Once' in the settings of this node.",
	);
}

/** Addresses of the computer itself: those at which a program listens on all addresses, too. */
const OWN_ADDRESS = /^(localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\])$/;

/**
 * Finds out here, and not on the recipient's phone, that a link can't be opened.
 *
 * @throws InputError where nobody can open it, or only people nearby, unless somebody tries it out or allows that
 */
function checkLink(
	{ link, text, allowsPrivateLink }: QuestionMessage,
	{ isManual }: RunInfo,
	client: Client,
): void {
	const { host, hostname } = new URL(link);
	// The link in a text loses characters that the service doesn't accept, such as those of [::1].
	const isUseless = OWN_ADDRESS.test(hostname) || !text.includes(link);
	if (!isUseless && (allowsPrivateLink || !isPrivateHost(hostname))) return;
	const message = `The link leads to ${host}, which a phone can't open from the internet`;
	const advice =
		"Set n8n's environment variable WEBHOOK_URL to its public address, such as https://n8n.example.com/, and restart n8n.";
	const nearby = ` If the recipients' phones are in the same network, add '${privateLink.displayName}' under Options.`;
	if (!isManual) throw new InputError(message, isUseless ? advice : advice + nearby);
	client.warn(`${message}. ${advice}`);
}
