import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Item } from '../shared/fields/item';
import { settingsFields } from '../shared/fields/options';
import { isPrivateHost } from '../shared/http/baseUrl';
import type { Client } from '../shared/run/client';
import { defineOperation } from '../shared/run/define';
import type { RunInfo } from '../shared/run/operation';
import { StepFailed, type Failed } from '../shared/run/outcome';
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
import { readQuestion, type Question } from './question';
import { fitMessage, readMarkedText } from './questionText';
import { readMessage, type Message } from './message';
import { SENDING, sendJson } from './sending';
import { waitingOf, type Waiting } from './waiting';
import { notesOn } from './warnings';

const questionField: INodeProperties = {
	...messageField,
	placeholder: 'e.g. Order 1042 is 20 % over budget. Approve it?',
	description:
		'What to ask the recipient. The link to the answer page is added at the end, or where you write {link}.',
	hint: 'The link takes about 160 characters. Of a long message, the SMS has the first 5 segments, and the page has all of it.',
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
	description:
		'Name of your company, so that the page says who asks. Without it, the page shows the sender, if there is one.',
};

const allowPrivateAddress: INodeProperties = {
	displayName: 'Allow Private Network Link',
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
		{ ...senderField, hint: "Shown on the page, unless you add 'Company Name' under Options" },
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
	resumes: true,
	prepare: readQuestionMessage,
	begin(run, entries, client) {
		askOne(run);
		for (const { prepared } of entries) {
			checkLink(prepared, run, client);
			if (prepared.isShortened) client.note(SHORTENED);
		}
	},
	noteOn: (_, messages) => notesOn(messages),
	async execute(prepared, client) {
		const { waiting, question, until, extra } = prepared;
		const { status, ...receipt } = await sendQuestion(prepared, client);
		const sent = { status, ...extra, ...receipt };
		await waiting.forAnswer(question, sent, until);
		const limit = until === undefined ? {} : { waitingUntil: until.toISOString() };
		return { answered: false, ...sent, ...limit };
	},
});

type QuestionMessage = Message & {
	waiting: Waiting;
	question: Question;
	until: Date | undefined;
	allowsPrivate: boolean;
	isShortened: boolean;
};

/** @throws InputError */
function readQuestionMessage(item: Item): QuestionMessage {
	const { execution, options } = item;
	if (execution === undefined) {
		throw new InputError(
			"'Send SMS and Wait for Response' can't be used here, because n8n can't wait for tools that are called in this way",
			'Put the SMS node between the agent and its tool as a human review step, or use a sub-workflow as the tool.',
		);
	}
	const waiting = waitingOf(execution);
	const { marked, text } = readMarkedText(item);
	return {
		question: readQuestion(text, item),
		until: readWaitLimit(item),
		// The link is another one in each execution.
		...fitMessage(marked, waiting.link, (message) =>
			readMessage(item, { message, content: text, canWait: false, isSecret: true }),
		),
		waiting,
		allowsPrivate: readSwitch(options, 'allowPrivateAddress', 'Allow Private Network Link'),
	};
}

/**
 * Sends the message once. While it is unknown whether it was sent, its recipient may still answer: the execution
 * waits for that until the limit. Without a limit it could wait for ever for a message that never arrived.
 *
 * @throws StepFailed
 */
async function sendQuestion(
	{ waiting, until, ...prepared }: QuestionMessage,
	client: Client,
): Promise<IDataObject> {
	const sent = await sendJson(prepared, client).catch((error: unknown): IDataObject => {
		if (!(error instanceof StepFailed) || error.failure.status !== 'unknown') throw error;
		if (error.failure.isEarlier) throw error.after(EARLIER_LINK, {});
		if (until === undefined) throw error.after(NO_LIMIT, {});
		client.note(WAITS_ALL_THE_SAME);
		return { status: 'unknown' };
	});
	const { snapshotId } = sent;
	if (snapshotId !== undefined && snapshotId === waiting.earlier)
		throw client.refuse(SENT_BEFORE);
	return sent;
}

const SHORTENED =
	'The message is too long for an SMS of 5 segments, so the SMS has the beginning. The page has all of it.';
const NO_LIMIT =
	"The execution doesn't wait, because the message may never have arrived. If you want it to wait anyway, add 'Limit Wait Time' under Options.";
const EARLIER_LINK = `If it was sent, it can't be answered anymore, because its link leads to an earlier execution or try, which has ended. ${NO_LIMIT}`;
const WAITS_ALL_THE_SAME =
	"It is unknown whether the message was sent. The execution waits anyway, so that the recipient can answer if it arrived. Otherwise, it continues after 'Limit Wait Time' with the status unknown.";
const SENT_BEFORE: Failed = {
	status: 'notSent',
	message: 'The question was sent by an earlier execution or try, which has ended',
	advice: "Its link no longer works, and the question isn't sent again automatically. Start a new execution to ask again.",
	transient: false,
	general: false,
};

/**
 * An execution waits for one answer. n8n's own nodes ask for the first item and pass on all of them.
 *
 * @throws InputError
 */
function askOne({ items }: Pick<RunInfo, 'items'>): void {
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
function checkLink(
	{ waiting: { link }, text, allowsPrivate }: QuestionMessage,
	{ isManual }: RunInfo,
	client: Client,
): void {
	const { hostname, pathname } = new URL(link);
	// A program listens on all of its addresses at the last two, which nobody can open.
	const isPrivate = isPrivateHost(hostname) || ['0.0.0.0', '[::]'].includes(hostname);
	// The link of a message loses characters that the service doesn't accept, such as those of [::1].
	const isWhole = text.includes(link);
	if (!isWhole || (isPrivate && !allowsPrivate)) {
		const message = `The link leads to ${hostname}${pathname}, which a phone can't open from the internet`;
		const advice =
			"Set n8n's environment variable WEBHOOK_URL to its public address in letters, digits and hyphens, such as https://n8n.example.com/, and restart n8n. If the recipients are in the same network as n8n, turn on 'Allow Private Network Link' under Options.";
		// From the editor, someone tries it out, mostly on the computer on which n8n runs.
		if (!isManual || !isWhole) throw new InputError(message, advice);
		client.warn(`${message}. When published, the workflow would send nothing. ${advice}`);
	}
	if (!PATH.test(pathname)) client.note(BELOW_A_PATH);
}

/** An address of n8n's own: its endpoint, the execution and the node. */
const PATH = /^\/[^/]+\/[^/]+\/[^/]+$/;
const BELOW_A_PATH =
	"The address of n8n has a path, and n8n refuses the link if a proxy removes that path, as most do. Open the link in a message to see whether it works. If it doesn't, give n8n its own host name, such as https://n8n.example.com/.";
