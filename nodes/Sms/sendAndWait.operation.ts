import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import type { Item } from '../shared/fields/item';
import { settingsFields } from '../shared/fields/options';
import { isPrivateHost } from '../shared/http/baseUrl';
import type { Client } from '../shared/run/client';
import { defineOperation } from '../shared/run/define';
import type { RunInfo } from '../shared/run/operation';
import { readSwitch } from '../shared/service/choices';
import { InputError } from '../shared/service/InputError';
import { SEND } from '../shared/service/messages';
import {
	jsonOptions,
	messageField,
	messageTypeField,
	recipientField,
	resendUnknown,
	senderField,
} from './fields';
import { limitWaitTime, readWaitLimit } from './limitWaitTime';
import { howToFindOut, optionalText, readMessage, type Message } from './message';
import { plain, readQuestion, type Question } from './question';
import { fitMessage, readQuestionText } from './questionText';
import { SENDING, sendJson } from './sending';
import { linkOf, waitForAnswer } from './waiting';
import { notesOn } from './warnings';

const questionField: INodeProperties = {
	...messageField,
	placeholder: 'e.g. Order 1042 is 20 % over budget. Approve it?',
	description:
		'What to ask the recipient. The link to the answer page is added at the end, or where you write {link}.',
	hint: 'The link takes about 160 characters. Long messages are cut after 5 segments; the page shows all.',
};

const responseType: INodeProperties = {
	displayName: 'Response Type',
	name: 'responseType',
	type: 'options',
	options: [
		{
			name: 'Approval',
			value: 'approval',
			description: 'The recipient presses a button to approve, or to decline if you allow it',
		},
		{ name: 'Choice', value: 'choice', description: 'The recipient chooses from a list' },
		{ name: 'Free Text', value: 'freeText', description: 'The recipient writes an answer' },
	],
	default: 'approval',
	description: 'How the recipient can answer',
};

const approvalOptions: INodeProperties = {
	displayName: 'Approval Options',
	name: 'approvalOptions',
	type: 'fixedCollection',
	placeholder: 'Add option',
	default: {},
	displayOptions: { show: { responseType: ['approval'] } },
	description: 'Which buttons the recipient sees',
	options: [
		{
			displayName: 'Values',
			name: 'values',
			values: [
				{
					displayName: 'Type of Approval',
					name: 'approvalType',
					type: 'options',
					options: [
						{ name: 'Approve and Disapprove', value: 'double' },
						{ name: 'Approve Only', value: 'single' },
					],
					default: 'single',
					description:
						'Whether there is only a button to approve, or also one to decline',
				},
				labelField('Approve Button Label', 'approveLabel', 'e.g. Approve'),
				{
					...labelField('Disapprove Button Label', 'disapproveLabel', 'e.g. Decline'),
					displayOptions: { show: { approvalType: ['double'] } },
				},
			],
		},
	],
};

function labelField(displayName: string, name: string, placeholder: string): INodeProperties {
	const description = 'Leave empty to use the default label in the language of the page';
	return { displayName, name, type: 'string', default: '', placeholder, description };
}

const choicesField: INodeProperties = {
	displayName: 'Choices',
	name: 'choices',
	type: 'string',
	typeOptions: { rows: 4 },
	default: '',
	required: true,
	placeholder: 'e.g. Monday',
	displayOptions: { show: { responseType: ['choice'] } },
	description:
		'One choice per line, one line with commas between the choices, or a list from an expression',
};

const companyName: INodeProperties = {
	displayName: 'Company Name',
	name: 'companyName',
	type: 'string',
	default: '',
	placeholder: 'e.g. My Shop',
	description: 'Who asks, as the page shows it. Without it, the page shows the sender.',
};

const ALLOW_PRIVATE = 'Allow Private Network Link';

const allowPrivateAddress: INodeProperties = {
	displayName: ALLOW_PRIVATE,
	name: 'allowPrivateAddress',
	type: 'boolean',
	default: false,
	description:
		"Whether to send the link even if it can't be opened from the internet, for recipients in the same network as n8n",
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
		responseType,
		approvalOptions,
		choicesField,
		...settingsFields({
			options: [
				// A question is sent now.
				...jsonOptions.filter(({ name }) => name !== 'date'),
				allowPrivateAddress,
				companyName,
				limitWaitTime,
				resendUnknown,
			],
		}),
	],
	request: SEND,
	prepare: readQuestionMessage,
	begin(run, [{ prepared }], client) {
		askOne(run);
		checkLink(prepared, run, client);
	},
	noteOn: (_, messages, warn) => notesOn(messages, warn),
	async execute(prepared, client) {
		const { execution, question, until, extra } = prepared;
		const { status, ...receipt } = await sendJson(prepared, client);
		const sent = { status, ...extra, ...receipt };
		await waitForAnswer(execution, question, sent, until);
		const limit = until === undefined ? {} : { waitingUntil: until.toISOString() };
		return { answered: false, ...sent, ...limit };
	},
	howToFindOut: (prepared, fails) =>
		`${howToFindOut(prepared, fails)} If it arrived, it can't be answered: its link leads to an execution or try that has ended.`,
	/** n8n retries an execution that was stopped while it waited as another one, with another link. */
	resultOf() {
		throw new InputError(
			'The question was sent by an earlier execution or try, which has ended',
			"Its link no longer works, and the question isn't sent again automatically. Start a new execution to ask again.",
		);
	},
});

type QuestionMessage = Message & {
	execution: IExecuteFunctions;
	link: string;
	question: Question;
	until: Date | undefined;
};

/** @throws InputError */
function readQuestionMessage(item: Item): QuestionMessage {
	const { execution } = item.run;
	if (execution === undefined) {
		throw new InputError(
			"'Send SMS and Wait for Response' can't be used here, because n8n can't wait for tools that are called in this way",
			'Put the SMS node between the agent and its tool as a human review step, or use a sub-workflow as the tool.',
		);
	}
	const link = linkOf(execution);
	const text = readQuestionText(item);
	// The same at a retry, whose link is another one.
	const form = { content: text.text, canWait: false, isSecret: true };
	const message = fitMessage(text, link, (given) =>
		readMessage(item, { ...form, message: given }),
	);
	const from = optionalText(item.options, 'companyName', 'Company Name') ?? message.sender;
	const question = readQuestion(item, text.text, from && plain(from));
	return { ...message, execution, link, question, until: readWaitLimit(item) };
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

/**
 * Finds out here, and not on the recipient's phone, that a link can't be opened.
 *
 * @throws InputError
 */
function checkLink({ link, text }: Message & { link: string }, run: RunInfo, client: Client): void {
	const { hostname, pathname } = new URL(link);
	// A program listens on all of its addresses at the last two, which nobody can open.
	const isPrivate = isPrivateHost(hostname) || ['0.0.0.0', '[::]'].includes(hostname);
	const isAllowed = !isPrivate || readSwitch(run.options, 'allowPrivateAddress', ALLOW_PRIVATE);
	// The link in a text loses characters that the service doesn't accept, such as those of [::1].
	if (isAllowed && text.includes(link)) return;
	const message = `The link leads to ${hostname}${pathname}, which a phone can't open from the internet`;
	const advice = `Set n8n's environment variable WEBHOOK_URL to its public address, such as https://n8n.example.com/, and restart n8n. If the recipients are in the same network as n8n, turn on '${ALLOW_PRIVATE}' under Options.`;
	// From the editor, someone tries it out, mostly on the computer on which n8n runs.
	if (!run.isManual) throw new InputError(message, advice);
	client.warn(`${message}. When published, the workflow would send nothing. ${advice}`);
}
