/** Campaigns: what one is made of, and what its recipients get. */
import { Refusal } from './errors.mts';
import {
	optionalDate,
	optionalSender,
	parseNumber,
	requireObject,
	requireText,
	type MessageKind,
} from './limits.mts';
import { fieldReference, type Contact, type ContactList } from './lists.mts';
import type { Service } from './service.mts';

/** Where the links to landing pages point: a host that does not exist. */
const LANDING_PAGES = 'https://sms.example/r/';

export interface Campaign {
	readonly id: string;
	readonly kind: MessageKind;
	readonly name: string;
	readonly message: string;
	readonly listId: string;
	/** Scheduled time, ms since the Unix epoch. */
	readonly date?: number;
	readonly sourceAddress?: string;
	readonly landingPageType?: 'CUSTOM' | 'EXTERNAL';
	readonly landingPage?: string;
	readonly landingPageTitle?: string;
	readonly externalUrl?: string;
	/** The states are not shown; SENT is in a public sample. */
	state: 'CREATED' | 'SENT';
	creditsUsed: number;
}

/**
 * Reads the body of a campaign's creation (interface document 2.5).
 * @throws {Refusal} for anything that the document does not allow
 */
export function readCampaign(
	service: Service,
	kind: MessageKind,
	body: Readonly<Record<string, unknown>>,
): Campaign {
	if (typeof body.name !== 'string' || body.name.trim() === '') throw new Refusal(40);
	const listId = requireObject(body.sendList, 48).id;
	if (typeof listId !== 'string' || !service.lists.has(listId)) throw new Refusal(48);
	return {
		id: service.createId(),
		kind,
		name: body.name,
		message: requireText(body.message, kind, service.settings.lineBreaks),
		listId,
		date: optionalDate(body.date, 41),
		sourceAddress: optionalSender(body.sourceAddress),
		...readLandingPage(body),
		state: 'CREATED',
		creditsUsed: 0,
	};
}

/** The three body variants of interface document 4.2: none, hosted HTML, external page. */
function readLandingPage(body: Readonly<Record<string, unknown>>): Partial<Campaign> {
	const { landingPageType, landingPage, landingPageTitle, externalUrl } = body;
	const parts = [landingPage, landingPageTitle, externalUrl];
	const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
	switch (landingPageType) {
		case undefined:
			if (parts.every((part) => part === undefined)) return {};
			throw new Refusal(undefined, 'A landing page needs a landingPageType');
		case 'CUSTOM':
			if (!isText(landingPage) || !isText(landingPageTitle)) {
				throw new Refusal(undefined, 'CUSTOM needs landingPage and landingPageTitle');
			}
			return { landingPageType, landingPage, landingPageTitle };
		case 'EXTERNAL':
			if (!isText(externalUrl) || !URL.canParse(externalUrl)) {
				throw new Refusal(undefined, 'EXTERNAL needs an externalUrl');
			}
			return { landingPageType, externalUrl };
		default:
			throw new Refusal(undefined, 'landingPageType is CUSTOM or EXTERNAL');
	}
}

/**
 * Sends a campaign to every contact of its list that is on no blacklist. A second call sends it
 * again, so that a client that repeats itself is seen.
 * @returns the credits used
 * @throws {Refusal} code 71 when the credits run out on the way
 */
export function sendCampaign(service: Service, campaign: Campaign): number {
	const list = service.list(campaign.listId);
	const before = campaign.creditsUsed;
	campaign.state = 'SENT';
	for (const contact of list.contacts.items()) {
		const number = parseNumber(contact.identifier) ?? contact.identifier;
		const refused =
			service.blacklist('unsubscribers').has(number) ||
			service.blacklist('bounces').has(number);
		if (!refused) sendOne(service, campaign, number, textFor(campaign, list, contact), false);
	}
	return campaign.creditsUsed - before;
}

/**
 * Sends a campaign's text to one number, with empty values for its tokens.
 * @returns the credits used
 */
export function testCampaign(service: Service, campaign: Campaign, number: string): number {
	const list = service.list(campaign.listId);
	const before = campaign.creditsUsed;
	sendOne(service, campaign, number, textFor(campaign, list), true);
	return campaign.creditsUsed - before;
}

function sendOne(
	service: Service,
	campaign: Campaign,
	number: string,
	text: string,
	test: boolean,
): void {
	const { creditsUsed } = service.accept({
		kind: campaign.kind,
		number,
		text,
		sender: campaign.sourceAddress,
		campaignName: campaign.name,
		campaignId: campaign.id,
		date: test ? undefined : campaign.date,
		test,
	});
	campaign.creditsUsed += creditsUsed;
}

/** The text with its tokens replaced; tokens that the list doesn't have stay as they are. */
function textFor(campaign: Campaign, list: ContactList, contact?: Contact): string {
	const values = new Map<string, string>();
	for (const field of list.fields) {
		const value = contact?.attributes[field.id] ?? '';
		values.set(field.id, value).set(fieldReference(field.name), value);
	}
	if (campaign.landingPageType !== undefined) {
		values.set('rich_message', `${LANDING_PAGES}${campaign.id.replace(/^5e0*/, '')}`);
	}
	return campaign.message.replace(
		/\$\{(\w+)\}/g,
		(token, reference: string) => values.get(reference) ?? token,
	);
}
