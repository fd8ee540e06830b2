import type { IDataObject } from 'n8n-workflow';
import { readDeparture, type Departure } from '../shared/fields/allowedHours';
import { parseId, pickedName, readListId } from '../shared/fields/list';
import { readRepeatUnknown } from '../shared/fields/options';
import type { Item } from '../shared/fields/item';
import type { Prepared } from '../shared/run/operation';
import { fieldsOf, outcomeOfCheck, StepFailed, type Failed } from '../shared/run/outcome';
import type { Client } from '../shared/run/client';
import {
	parseMessageType,
	readChoice,
	readOption,
	readSwitch,
	readUnsupported,
} from '../shared/service/choices';
import type { MessageType, Replacement } from '../shared/service/characters';
import { readCreditsUsed } from '../shared/service/campaigns';
import { readAllowedHours } from '../shared/service/allowedHours';
import { InputError, requireText, show } from '../shared/service/InputError';
import { LIST, readColumns } from '../shared/service/lists';
import {
	replacedIn,
	requireAccepted,
	requireMessage,
	type WrittenMessage,
} from '../shared/service/message';
import { parseSender } from '../shared/service/sender';
import { checkTokens, readTokens, writeCampaignMessage } from './tokens';

/** A campaign that is ready to be created, and what its list has to have. */
export interface PreparedCampaign extends Prepared {
	listId: string;
	/** Characters of the message that the service doesn't take. */
	replacements: readonly Replacement[];
	/** References to columns in the message. */
	tokens: string[];
	/** Columns that the message has to use. */
	required: string[];
	checkTokens: boolean;
	path: { campaignType: MessageType };
	/** When the service is to send it, of one that is created at a moment. */
	departure: (now: number) => Departure;
	/** IANA name of the workflow's. */
	timeZone: string;
	/** It has a date, so that it may leave by itself: the interface document doesn't say. */
	isScheduled: boolean;
	/** Without its date. */
	body: IDataObject;
}

/** A campaign as it was written, whether the service takes its characters or not. */
export interface WrittenCampaign extends PreparedCampaign {
	subject: string;
	message: WrittenMessage;
	sender: string | undefined;
}

/** @throws InputError for a value that only an expression can give */
export function readCampaignType(item: Pick<Item, 'parameter'>): MessageType {
	return parseMessageType(item.parameter('campaignType'), 'Campaign Type');
}

/** @throws InputError when no campaign is chosen */
export function readCampaignId(item: Pick<Item, 'chosen'>): string {
	return parseId(item.chosen('campaign'), 'Campaign');
}

/** What the dropdown called the chosen campaign, for errors; its ID where it was given. */
export function readCampaignName(item: Pick<Item, 'chosen' | 'typed'>): string {
	const id = readCampaignId(item);
	const name = pickedName(item.typed('campaign'), id);
	return name === undefined ? id : `'${name}'`;
}

/**
 * Checks one campaign and writes its request (interface document 2.5, 4.2).
 *
 * @throws InputError for everything that the service would refuse and that can be seen beforehand
 */
export function prepareCampaign(item: Item): PreparedCampaign {
	const campaign = readCampaign(item);
	const { message, path } = campaign;
	requireAccepted(message, path.campaignType, readUnsupported(item.options));
	return campaign;
}

/**
 * The same without an error for characters that the service would refuse.
 *
 * @throws InputError
 */
export function readCampaign(item: Item): WrittenCampaign {
	const { options } = item;
	const campaignType = readCampaignType(item);
	const name = requireFilled(item.parameter('name'), 'Campaign Name').trim();
	const listId = readListId(item);
	const message = writeCampaignMessage(
		item.parameter('message'),
		campaignType,
		readUnsupported(options),
	);
	const { text, replacements } = message;
	const landingPage = readLandingPage(item);
	const tokens = readTokens(text, landingPage !== undefined);
	const typedSender = readOption({ sender: item.parameter('sender', '') }, 'sender', 'Sender');
	const sender = parseSender(typedSender);
	const departure = departureOf(item);
	const { date, expired } = departure(item.now);
	return {
		departure,
		timeZone: item.timeZone,
		isScheduled: date !== undefined,
		expired,
		listId,
		message,
		sender,
		tokens,
		required: readColumnChoice(item.parameter('requiredColumns', []) ?? []),
		checkTokens: readSwitch({ checkTokens: true, ...options }, 'checkTokens', 'Check Tokens'),
		path: { campaignType },
		body: {
			name,
			message: text,
			sendList: { id: listId },
			...landingPage,
			...(sender === undefined ? {} : { sourceAddress: sender }),
		},
		target: [campaignType, listId],
		content: [name, requireMessage(item.parameter('message'))],
		subject: name,
		replacements,
		extra: replacedIn(replacements),
		resendUnknown: readRepeatUnknown(options),
	};
}

/**
 * The date of a campaign, within 'Allowed Hours'. One without a date doesn't leave by itself: its hours are
 * those of Send.
 *
 * @throws InputError
 */
function departureOf({ options, timeZone, now }: Item): (now: number) => Departure {
	const date = readOption(options, 'date', 'Send At') ?? '';
	if (date !== '') {
		const orElse =
			'or leave the field empty, and send the campaign with the operation Send Campaign';
		const leaving = { timeZone, canWait: true, what: 'campaign', orElse };
		return readDeparture(options, leaving, now);
	}
	readAllowedHours(options);
	return () => ({});
}

/**
 * The part of the body that says what the link leads to: the three variants of interface document
 * 4.2.
 *
 * @returns undefined without a landing page
 * @throws InputError
 */
function readLandingPage(item: Item): IDataObject | undefined {
	const kind = readChoice(
		item.parameter('landingPage', 'none'),
		['none', 'hosted', 'external'],
		'Landing Page',
	);
	if (kind === 'none') return undefined;
	if (kind === 'external') {
		const url = item.parameter('externalUrl');
		return { externalUrl: parseWebAddress(url, 'External URL'), landingPageType: 'EXTERNAL' };
	}
	return {
		landingPage: requireFilled(item.template('landingPageHtml'), 'HTML'),
		landingPageTitle: requireFilled(item.parameter('landingPageTitle'), 'Page Title').trim(),
		landingPageType: 'CUSTOM',
	};
}

function requireFilled(value: unknown, field: string): string {
	const text = requireText(value, field);
	if (text.trim() === '') {
		throw new InputError(
			`'${field}' is empty`,
			`Fill it in. If '${field}' is an expression, it may be empty for this item.`,
		);
	}
	if (text.includes('[object Object]')) {
		throw new InputError(
			`'${field}' contains [object Object]`,
			`An expression in '${field}' returns an object. Use one of its fields.`,
		);
	}
	return text;
}

function parseWebAddress(value: unknown, field: string): string {
	const address = requireFilled(value, field).trim();
	const isWeb = /^https?:\/\/[^\s/]/i.test(address) && !/\s/.test(address);
	if (isWeb && URL.canParse(address)) return address;
	throw new InputError(
		`'${field}' ${show(address)} is not a web address`,
		'Write it like https://www.example.com/summer.',
	);
}

const REQUIRED = 'Required Column Names or IDs';

/** Columns chosen in the editor, or given by an expression: a list, or one of them. */
function readColumnChoice(value: unknown): string[] {
	const chosen: unknown[] = Array.isArray(value) ? value : [value];
	return chosen
		.map((column) => requireText(column, REQUIRED).trim())
		.filter((column) => column !== '');
}

/**
 * Checks the tokens of a message against the columns of its list, which is looked up once in a run.
 *
 * @throws InputError, StepFailed
 */
export async function checkColumns(
	{ listId, tokens, required, checkTokens: isWanted }: PreparedCampaign,
	client: Client,
): Promise<void> {
	if (!isWanted || (tokens.length === 0 && required.length === 0)) return;
	const get = { endpoint: LIST, path: { listId } };
	const columns = await client.once(get, readColumns).catch((error: unknown) => {
		throw lookUpFailed(
			error,
			'The columns of the list could not be looked up',
			'No campaign was created.',
		);
	});
	checkTokens(tokens, required, columns);
}

/**
 * What to throw when something could not be looked up: whatever became of the look-up, nothing was created
 * or sent.
 *
 * @param error what the look-up threw
 * @param what says what could not be looked up; undefined where the failure says enough
 * @param undone what was not done then, as a sentence
 * @param way out, beside what the failure advises
 */
export function lookUpFailed(
	error: unknown,
	what: string | undefined,
	undone: string,
	wayOut = '',
): unknown {
	if (!(error instanceof StepFailed)) return error;
	const { message, advice } = error.failure;
	return new StepFailed({
		...(outcomeOfCheck(error) as Failed),
		message: what === undefined ? message : `${what}: ${message}`,
		advice: [undone, advice, wayOut].filter(Boolean).join(' '),
	});
}

/** The answer to a campaign that was sent, or to a test of it (extended). */
export function readSent(body: unknown): IDataObject | undefined {
	const answer = readCreditsUsed(body);
	return answer && { status: 'sent', ...fieldsOf(answer) };
}
