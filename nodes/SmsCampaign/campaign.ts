import type { IDataObject, IExecuteSingleFunctions } from 'n8n-workflow';
import { parseId } from '../shared/fields/list';
import type { Prepared } from '../shared/run/RoutedOperation';
import { StepFailed, type Steps } from '../shared/run/steps';
import { campaignPath, campaignsPath } from '../shared/service/campaigns';
import {
	parseMessageType,
	readChoice,
	readOption,
	readSwitch,
	readUnsupported,
} from '../shared/service/choices';
import type { MessageType } from '../shared/service/characters';
import { readSendDate } from '../shared/service/date';
import { InputError, requireText, show } from '../shared/service/InputError';
import { listPath, readColumns } from '../shared/service/lists';
import { parseSender } from '../shared/service/sender';
import { checkTokens, prepareCampaignMessage, readTokens } from './tokens';

/** A campaign that is ready to be created, and what its list has to have. */
export interface PreparedCampaign extends Prepared {
	listId: string;
	/** References to columns in the message. */
	tokens: string[];
	/** Columns that the message has to use. */
	required: string[];
}

/** Reads a parameter of an item; hidden ones are left alone. */
type Parameters = Pick<IExecuteSingleFunctions, 'getNodeParameter'>;

export { campaignPath, campaignsPath };

/** @throws InputError for a value that only an expression can give */
export function readCampaignType(context: Parameters): MessageType {
	return parseMessageType(context.getNodeParameter('campaignType'), 'Campaign Type');
}

/** @throws InputError */
export function readCampaignId(value: unknown): string {
	return parseId(value, 'Campaign ID');
}

/**
 * Checks one campaign and writes its request (interface document 2.5, 4.2).
 *
 * @param now milliseconds; a date before it is refused
 * @throws InputError for everything that the service would refuse and that can be seen beforehand
 */
export function prepareCampaign(
	context: Parameters,
	timeZone: string,
	now: number,
): PreparedCampaign {
	const options = (context.getNodeParameter('options', {}) ?? {}) as IDataObject;
	const type = readCampaignType(context);
	const name = requireFilled(context.getNodeParameter('name'), 'Campaign Name').trim();
	const listId = parseId(context.getNodeParameter('list'), 'List');
	const { text, replacements } = prepareCampaignMessage(
		context.getNodeParameter('message'),
		type,
		readUnsupported(options),
	);
	const landingPage = readLandingPage(context);
	const tokens = readTokens(text, landingPage !== undefined);
	const sender = readOption(options, 'sourceAddress', 'Sender');
	const sourceAddress = sender === undefined ? undefined : parseSender(sender);
	const { date, expired } = readSendDate(readOption(options, 'date', 'Send At'), timeZone, now);
	return {
		expired,
		listId,
		tokens,
		required: readColumnChoice(context.getNodeParameter('columns', [])),
		url: campaignsPath(type),
		body: {
			name,
			message: text,
			sendList: { id: listId },
			...landingPage,
			...(date === undefined ? {} : { date }),
			...(sourceAddress === undefined ? {} : { sourceAddress }),
		},
		subject: name,
		extra:
			replacements.length > 0
				? { replacements: replacements as unknown as IDataObject[] }
				: {},
		resendUnknown: readSwitch(options, 'resendUnknown', 'Repeat if Unknown'),
	};
}

/**
 * The part of the body that says what the link leads to: the three variants of interface document
 * 4.2.
 *
 * @returns undefined without a landing page
 * @throws InputError
 */
function readLandingPage(context: Parameters): IDataObject | undefined {
	const kind = readChoice(
		context.getNodeParameter('landingPage', 'none'),
		['none', 'hosted', 'external'],
		'Landing Page',
	);
	if (kind === 'none') return undefined;
	if (kind === 'external') {
		const url = context.getNodeParameter('externalUrl');
		return { externalUrl: parseWebAddress(url, 'External URL'), landingPageType: 'EXTERNAL' };
	}
	return {
		landingPage: requireFilled(context.getNodeParameter('landingPageHtml'), 'HTML'),
		landingPageTitle: requireFilled(
			context.getNodeParameter('landingPageTitle'),
			'Page Title',
		).trim(),
		landingPageType: 'CUSTOM',
	};
}

function requireFilled(value: unknown, field: string): string {
	const text = requireText(value, field);
	if (text.trim() === '') {
		throw new InputError(
			`'${field}' is empty`,
			`Fill it in. An expression in '${field}' may give nothing for this item.`,
		);
	}
	if (text.includes('[object Object]')) {
		throw new InputError(
			`'${field}' contains [object Object]`,
			`An expression inside of '${field}' gives an object. Pick one field of it.`,
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

/** Columns chosen in the editor, or given by an expression: a list, or one of them. */
function readColumnChoice(value: unknown): string[] {
	const field = 'Column Names or IDs';
	const chosen: unknown[] = Array.isArray(value) ? value : [value];
	return chosen
		.map((column) => requireText(column, field).trim())
		.filter((column) => column !== '');
}

/**
 * Checks the tokens of a message against the columns of its list, which is looked up once in a run.
 *
 * @throws InputError, StepFailed
 */
export async function checkColumns(
	{ listId, tokens, required }: PreparedCampaign,
	requests: Steps,
): Promise<void> {
	if (tokens.length === 0 && required.length === 0) return;
	checkTokens(tokens, required, await lookUpColumns(listId, requests));
}

async function lookUpColumns(listId: string, requests: Steps) {
	try {
		return await requests.once(listPath(listId), readColumns);
	} catch (error) {
		throw lookUpFailed(error);
	}
}

/** Whatever became of the look-up, no campaign was created. */
function lookUpFailed(error: unknown): unknown {
	if (!(error instanceof StepFailed)) return error;
	const { failure } = error;
	return new StepFailed({
		...failure,
		status: failure.status === 'unknown' ? 'notSent' : failure.status,
		message: `The columns of the list could not be looked up: ${failure.message}`,
		advice: `No campaign was created. ${failure.advice}`.trim(),
	});
}
