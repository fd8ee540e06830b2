import { WAIT_INDEFINITELY, type IDataObject, type INodeProperties } from 'n8n-workflow';
import { settingsFields } from '../shared/fields/options';
import { isPrivateHost } from '../shared/http/baseUrl';
import type { Item } from '../shared/fields/item';
import { defineOperation } from '../shared/run/define';
import type { OpenEntry, RunInfo } from '../shared/run/operation';
import { StepFailed, type Failed } from '../shared/run/outcome';
import type { Client } from '../shared/run/client';
import { readSwitch } from '../shared/service/choices';
import { InputError } from '../shared/service/InputError';
import { SEND } from '../shared/service/messages';
import {
	jsonOptions,
	messageField,
	messageTypeField,
	recipientField,
	senderField,
	resendUnknown,
} from './fields';
import { limitWaitTime, readWaitLimit, type WaitLimit } from './limitWaitTime';
import {
	noAnswer,
	PAGE_LANGUAGE,
	readMessageText,
	readQuestion,
	withLink,
	type Question,
} from './question';
import { readJsonMessage, SENDING, sendJson, type JsonMessage } from './sending';
import { waitingOf, type Waiting } from './waiting';
import { noteTexts } from './warnings';

const ALLOW_PRIVATE = 'Allow Private Network Link';

const questionField: INodeProperties = {
	...messageField,
	placeholder: 'e.g. Order 1042 is 20 % over budget. Approve it?',
	description:
		'What to ask the recipient. The link to the answer page is added at the end, or where you write {link}.',
	hint: 'The link takes about 160 characters, so the message has at least two segments',
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
		{
			name: 'Choice',
			value: 'choice',
			description: 'The recipient chooses from a list',
		},
		{
			name: 'Free Text',
			value: 'freeText',
			description: 'The recipient writes an answer',
		},
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
				{
					displayName: 'Approve Button Label',
					name: 'approveLabel',
					type: 'string',
					default: '',
					placeholder: 'e.g. Approve',
					description: 'Leave empty to use the default label in the language of the page',
				},
				{
					displayName: 'Disapprove Button Label',
					name: 'disapproveLabel',
					type: 'string',
					displayOptions: { show: { approvalType: ['double'] } },
					default: '',
					placeholder: 'e.g. Decline',
					description: 'Leave empty to use the default label in the language of the page',
				},
			],
		},
	],
};

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
		'What the recipient can choose from. Write one choice per line, or use an expression that gives a list.',
};

const languageField: INodeProperties = {
	displayName: PAGE_LANGUAGE,
	name: 'language',
	type: 'options',
	options: [
		{ name: 'English', value: 'en' },
		{ name: 'French', value: 'fr' },
		{
			name: "Same as the Recipient's Phone",
			value: 'auto',
			description: 'French on French phones, English on all others',
		},
	],
	default: 'auto',
	description: 'Language of the page that the link opens. Your message is shown as you wrote it.',
};

const companyName: INodeProperties = {
	displayName: 'Company Name',
	name: 'companyName',
	type: 'string',
	default: '',
	placeholder: 'e.g. My Shop',
	description:
		'Name of your company, shown on the page. If it is empty, the page shows the sender, if there is one.',
};

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
		senderField,
		responseType,
		approvalOptions,
		choicesField,
		languageField,
		...settingsFields({
			// A question is sent now.
			options: [
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
		checkLink(run, entries, client);
		noteTexts(entries, client);
	},
	execute: async (prepared, client) => {
		const { waiting, question, limit, extra } = prepared;
		const { status, ...receipt } = await sendQuestion(prepared, client);
		const { encoding } = prepared.preview();
		const sent = { status, ...extra, ...receipt, encoding };
		waiting.keep({ question, sent });
		const { date } = limit;
		const unanswered = { answered: false, data: noAnswer(question), ...sent };
		await waiting.until(date ?? WAIT_INDEFINITELY, unanswered);
		return {
			answered: false,
			...sent,
			...(date === undefined ? {} : { waitingUntil: date.toISOString() }),
		};
	},
});

type QuestionMessage = JsonMessage & {
	waiting: Waiting<Question>;
	question: Question;
	limit: WaitLimit;
	allowsPrivate: boolean;
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
	const text = readMessageText(item);
	const question = readQuestion(text, item);
	const limit = readWaitLimit(item);
	// The link is another one in each execution.
	const form = {
		message: withLink(text, waiting.link),
		content: text,
		canWait: false,
		isSecret: true,
	};
	const message = readJsonMessage(item, form);
	return {
		...message,
		expired: message.expired ?? limit.expired,
		waiting,
		question,
		limit,
		allowsPrivate: readSwitch(options, 'allowPrivateAddress', ALLOW_PRIVATE),
	};
}

/**
 * Sends the message once. What may have been sent is never sent again; whoever has got it can still
 * answer, so that the execution waits for that as long as there is an end to it. Without one it could
 * wait for ever for a message that never arrived, and nobody would know: that is an error, as everywhere.
 *
 * @throws StepFailed
 */
async function sendQuestion(prepared: QuestionMessage, client: Client): Promise<IDataObject> {
	const { waiting, limit, question } = prepared;
	const before = waiting.recall();
	const putBack = waiting.keep({ question, sent: {} });
	const sent = await sendJson(prepared, client).catch((error: unknown): IDataObject => {
		if (!(error instanceof StepFailed) || error.failure.status !== 'unknown') throw error;
		if (error.failure.isEarlier && !waiting.isOwn(before)) {
			putBack();
			throw error.after(ANOTHER_LINK, {});
		}
		if (limit.date === undefined) throw error.after(NO_LIMIT, {});
		client.note(WAITS_ALL_THE_SAME);
		return { status: 'unknown' };
	});
	const isReceipt =
		sent.snapshotId !== undefined && before?.asked.sent.snapshotId === sent.snapshotId;
	if (isReceipt && !waiting.isOwn(before)) {
		putBack();
		throw client.refuse(SENT_BEFORE);
	}
	return { status: 'sent', ...sent };
}

const ANOTHER_LINK =
	"If it was sent, it can't be answered anymore, because its link leads to the earlier execution, which has ended.";
const NO_LIMIT =
	"The execution doesn't wait, because the message may never have arrived. If you want it to wait anyway, add 'Limit Wait Time' under Options.";
const WAITS_ALL_THE_SAME =
	"It is unknown whether the message was sent. The execution waits anyway, so that the recipient can answer if it arrived. Otherwise, it continues after 'Limit Wait Time' with the status unknown.";
const SENT_BEFORE: Failed = {
	status: 'notSent',
	message: 'The question was sent by an earlier execution, which has ended',
	advice: "Its link no longer works, and the question isn't sent again automatically. Start a new execution to ask again.",
	transient: false,
	general: false,
};

/** Replacing characters would replace those of the link too: an address in brackets, say. */
function spelledOtherwise(link: string): [message: string, advice: string] {
	return [
		`The link has characters that the service doesn't accept: ${link.replace(/\?.*/, '')}`,
		"Set n8n's environment variable WEBHOOK_URL to an address of letters, digits and hyphens, such as https://n8n.example.com/, and restart n8n.",
	];
}

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
 * A link that no phone can open is found out here, and not by the recipient.
 *
 * @throws InputError
 */
function checkLink(
	{ isManual }: Pick<RunInfo, 'isManual'>,
	candidates: ReadonlyArray<OpenEntry<QuestionMessage>>,
	client: Client,
): void {
	for (const { prepared } of candidates) {
		const { link } = prepared.waiting;
		const { hostname, pathname } = new URL(link);
		if (!prepared.allowsPrivate && !isPublic(hostname)) {
			const [message, advice] = unreachable(hostname);
			// From the editor, someone tries it out, mostly on the computer on which n8n runs.
			if (!isManual) throw new InputError(message, advice);
			client.warn(`${message}. When published, the workflow would send nothing. ${advice}`);
		}
		if (!PATH.test(pathname)) client.note(BELOW_A_PATH);
		if (!prepared.text.includes(link)) throw new InputError(...spelledOtherwise(link));
	}
}

/** Of n8n's own: its endpoint, the execution and the node. */
const PATH = /^\/[^/]+\/[^/]+\/[^/]+$/;
/** It isn't certain: n8n's endpoint can have been renamed to such a path. */
const BELOW_A_PATH =
	"The address of n8n has a path, and n8n refuses the link if a proxy removes that path, as most do. Open the link in a message to see whether it works. If it doesn't, give n8n its own host name, such as https://n8n.example.com/.";

/** Where a program listens on all of its addresses, which is no address to open. */
const LISTENING = ['0.0.0.0', '[::]'];

function isPublic(hostname: string): boolean {
	return !isPrivateHost(hostname) && !LISTENING.includes(hostname);
}

function unreachable(hostname: string): [message: string, advice: string] {
	return [
		`The link leads to ${hostname}, which can't be opened from the internet`,
		"Set n8n's environment variable WEBHOOK_URL to its public address, such as https://n8n.example.com/, and restart n8n. If the recipients are in the same network as n8n, turn on 'Allow Private Network Link' under Options.",
	];
}
