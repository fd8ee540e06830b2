import type { IDataObject } from 'n8n-workflow';
import { departureAt, readSchedule, type Schedule } from '../shared/fields/allowedHours';
import { DOUBTS, doubtsAbout } from '../shared/fields/doubts';
import { fillIn, refuseNoValue, requireField } from '../shared/fields/expressions';
import { readId, readListId } from '../shared/fields/list';
import type { Item } from '../shared/fields/item';
import { readMessageText, readSender } from '../shared/fields/messageFields';
import { fieldsOf, StepFailed, type Failed } from '../shared/run/outcome';
import { outcomeOfCheck } from '../shared/run/unknown';
import type { Change, Client } from '../shared/run/client';
import {
	parseMessageType,
	readChoice,
	readOption,
	readUnsupported,
} from '../shared/service/choices';
import type { MessageType } from '../shared/service/characters';
import { readCreditsUsed } from '../shared/service/campaigns';
import { InputError, requireTrimmed, show } from '../shared/service/InputError';
import { isNoCampaign, meaningOf } from '../shared/service/errorCodes';
import { LIST, readColumns, type Column } from '../shared/service/lists';
import { replacedIn } from '../shared/service/messageText';
import { foreignPlaceholders } from '../shared/service/placeholders';
import { checkTokens, readTokens, replaceTokens, writeCampaignMessage } from './tokens';

const WRITE_TOKENS =
	'To insert a value of each contact, write the name of its column like ${first_name}. ';

/** A campaign as it was written, whether the service takes its characters or not. */
export type WrittenCampaign = ReturnType<typeof readCampaign>;

/** @throws InputError for a value that only an expression can give */
export function readCampaignType(item: Pick<Item, 'parameter'>): MessageType {
	return parseMessageType(item.parameter('campaignType'), 'Campaign Type');
}

/** The campaign that an item is about. @throws InputError when none is chosen */
export function aboutCampaign(item: Pick<Item, 'chosen' | 'parts'>) {
	const campaignId = readId(item, 'campaign.value', item.chosen('campaign'), 'Campaign');
	return { campaignId, path: { campaignId }, subject: campaignId };
}

/**
 * Reads a campaign and writes its request (interface document 2.5, 4.2). Characters of the message that the service
 * would refuse are no error here.
 *
 * @throws InputError for everything else that the service would refuse and that can be seen beforehand
 */
export function readCampaign(item: Item) {
	const campaignType = readCampaignType(item);
	const listId = readListId(item);
	const typed = readMessageText(item, WRITE_TOKENS);
	const message = writeCampaignMessage(typed, campaignType, readUnsupported(item.options));
	const { text, replacements } = message;
	const landingPage = readLandingPage(item);
	const sender = readSender(item);
	const schedule = readDate(item);
	const { date, expired } = schedule ? departureAt(schedule, item.run.now) : {};
	const doubts = Object.entries(doubtsAbout(item, typed, schedule));
	return {
		listId,
		message,
		sender,
		/** References to columns in the message. */
		tokens: readTokens(text, landingPage !== undefined),
		/** Likely placeholders of other systems in the message: the columns of the list tell. */
		placeholders: foreignPlaceholders(replaceTokens(typed, () => '')),
		/** What is hardly meant: sentences. */
		doubts: doubts
			.filter(([, found]) => found.length > 0)
			.map(([kind, found]) =>
				DOUBTS[kind as keyof typeof DOUBTS]([...new Set(found)].join(' and ')),
			),
		path: { campaignType },
		/** When the service is to send it; undefined for one without a date, which doesn't leave by itself. */
		schedule,
		date,
		expired,
		/** Without its name and its date. */
		body: {
			message: text,
			sendList: { id: listId },
			...landingPage,
			...(sender === undefined ? {} : { sourceAddress: sender }),
		},
		/** Which countries the credential sends to. */
		countryRule: item.run.account.countryRule,
		target: [listId],
		content: [campaignType, typed],
		extra: replacedIn(replacements) as IDataObject,
	};
}

/**
 * The date of a campaign, within 'Allowed Hours'. Those of a campaign without a date are set in Send Campaign.
 *
 * @throws InputError
 */
function readDate({ options, run: { timeZone } }: Item): Schedule | undefined {
	if ((readOption(options, 'date', 'Send At') ?? '') === '') return undefined;
	const orElse =
		'or leave the field empty, and send the campaign with the operation Send Campaign';
	return readSchedule(options, { timeZone, canWait: true, what: 'campaign', orElse });
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
	if (kind === 'external')
		return { externalUrl: readWebAddress(item), landingPageType: 'EXTERNAL' };
	const html = requireTrimmed(item.template('landingPageHtml'), 'HTML', fillIn('HTML'));
	const template = { parts: (name: string) => item.parts(name, true) };
	refuseNoValue(template, 'landingPageHtml', html, 'HTML');
	return {
		landingPage: html,
		landingPageTitle: requireField(item, 'landingPageTitle', 'Page Title'),
		landingPageType: 'CUSTOM',
	};
}

function readWebAddress(item: Item): string {
	const field = 'External URL';
	// Zero-width characters come along when an address is copied.
	const address = requireField(item, 'externalUrl', field)
		.replace(/\p{Cf}/gu, '')
		.trim();
	const isWeb = /^https?:\/\/[^\s/]/i.test(address) && !/\s/.test(address);
	if (!isWeb || !URL.canParse(address))
		throw new InputError(
			`'${field}' ${show(address)} is not a web address`,
			'Write it like https://www.example.com/summer.',
		);
	// No address has braces of its own (RFC 3986).
	const [wrong] = /&(?:amp|#0*38|#x0*26);|[#$]?\{[^}]*\}{0,2}|\}/i.exec(address) ?? [];
	if (wrong === undefined) return address;
	throw new InputError(
		`'${field}' has ${show(wrong)}, which is no part of a web address`,
		wrong.startsWith('&')
			? 'It is & within HTML. Write & instead, or copy the address from the browser.'
			: `The address is the same for all contacts. To put in a value of the input, '${field}' has to be an Expression, not Fixed. For a brace, write %7B or %7D.`,
	);
}

/**
 * Checks the tokens of a message against the columns of its list, which is looked up once in a run.
 *
 * @param undone the operation that was not carried out, as a sentence
 * @returns none where the message has neither tokens nor what may be meant as one
 * @throws InputError, StepFailed
 */
export async function checkColumns(
	{ listId, tokens, placeholders }: WrittenCampaign,
	client: Client,
	undone: string,
): Promise<Column[]> {
	if (tokens.length === 0 && placeholders.length === 0) return [];
	const columns = await client
		.once({ endpoint: LIST, path: { listId } }, readColumns)
		.catch(lookUpFailed('The columns of the list could not be looked up', undone));
	checkTokens(tokens, columns);
	return columns;
}

/**
 * Throws the error of a look-up that failed: nothing was created or sent.
 *
 * @param what could not be looked up
 * @param undone the operation that was not carried out, as a sentence
 * @param wayOut advice beside that of the failure
 */
export function lookUpFailed(what: string, undone: string, wayOut = '') {
	return (error: unknown): never => {
		if (!(error instanceof StepFailed)) throw error;
		const { message, advice } = error.failure;
		// Its own words say enough, and nothing helps but another ID.
		const isNotFound = isNoCampaign(error.failure);
		throw new StepFailed({
			...(outcomeOfCheck(error) as Failed),
			message: isNotFound ? message : `${what}: ${message}`,
			advice: [undone, advice, isNotFound ? '' : wayOut].filter(Boolean).join(' '),
		});
	};
}

/**
 * Sends a campaign, or a test of it (extended). Where it is not found, the error names the other type: each has its own.
 *
 * @throws StepFailed
 */
export async function sendCampaign(
	change: Change & { path: { campaignType: MessageType } },
	client: Client,
): Promise<IDataObject> {
	return await client.change(change, readSent).catch((error: unknown) => {
		if (!(error instanceof StepFailed) || meaningOf(error.failure) !== 'campaignNotFound') {
			throw error;
		}
		const type = change.path.campaignType;
		const other = type === 'marketing' ? 'Notification' : 'Marketing';
		const advice = `It was looked for among the ${type} campaigns. If it was created with the other type, set 'Campaign Type' to ${other}. Otherwise, check its ID.`;
		throw new StepFailed({ ...error.failure, advice });
	});
}

function readSent(body: unknown): IDataObject | undefined {
	const answer = readCreditsUsed(body);
	return answer && { status: 'sent', ...fieldsOf(answer) };
}
