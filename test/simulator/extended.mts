/** Endpoints that only the public facts about the service state, not the interface document. */
import type { BlacklistKind } from './blacklist.mts';
import { sendCampaign, testCampaign, type Campaign } from './campaigns.mts';
import {
	BLACKLIST,
	KIND,
	jsonBody,
	noContent,
	notFound,
	ok,
	okArray,
	parsedBody,
	type Call,
	type Endpoint,
} from './endpoints.mts';
import { Refusal } from './errors.mts';
import { parseNumber, requireNumber } from './limits.mts';
import type { ContactList } from './lists.mts';

const blacklists: Endpoint[] = [
	{
		method: 'DELETE',
		path: `/v2/${BLACKLIST}/default/contacts/:entryId`,
		handle({ service, params }) {
			const blacklist = service.blacklist(params.blacklist as BlacklistKind);
			const entry = blacklist.entries.items().find(({ id }) => id === params.entryId);
			if (entry === undefined || entry.deleted) throw notFound('Entry not found');
			blacklist.setDeleted(entry, true);
			return noContent;
		},
	},
];

const lists: Endpoint[] = [
	{
		method: 'GET',
		path: '/v2/lists/:listId/fields',
		handle: ({ service, params }) => ok(service.list(params.listId).fields),
	},
	{
		method: 'DELETE',
		path: '/v2/lists/:listId/fields/:fieldId',
		handle({ service, params }) {
			if (!service.list(params.listId).removeField(params.fieldId)) {
				throw notFound('Column not found');
			}
			return noContent;
		},
	},
	{
		method: 'POST',
		path: '/v2/lists/:listId/empty',
		handle({ service, params }) {
			service.list(params.listId).contacts.replace([]);
			return noContent;
		},
	},
	{
		method: 'POST',
		path: '/v2/lists/:listId/import',
		handle({ service, request, params }) {
			const list = service.list(params.listId);
			importRows(list, parsedBody(request));
			return { status: 201, headers: { Location: `/v2/lists/${list.id}/contacts` } };
		},
	},
];

const check: Endpoint[] = [
	{
		method: 'GET',
		path: '/v2/check',
		handle({ service, request }) {
			const rawIdentifier = request.query.get('identifier') ?? '';
			const number = parseNumber(rawIdentifier);
			if (number === undefined) throw new Refusal(rawIdentifier === '' ? 10 : 11);
			const listed =
				service.blacklist('unsubscribers').has(number) ||
				service.blacklist('bounces').has(number);
			return ok({
				international: !number.startsWith('+33'),
				rawIdentifier,
				formattedIdentifier: number,
				status: listed ? 'BLACKLISTED' : 'OK',
			});
		},
	},
];

const campaigns: Endpoint[] = [
	{
		method: 'POST',
		path: `/v2/${KIND}/campaigns/:campaignId/test`,
		handle(call) {
			const number = requireNumber(jsonBody(call.request).identifier);
			return ok({ creditsUsed: testCampaign(call.service, campaignOf(call), number) });
		},
	},
	{
		method: 'POST',
		path: `/v2/${KIND}/campaigns/:campaignId/send`,
		handle: (call) => ok({ creditsUsed: sendCampaign(call.service, campaignOf(call)) }),
	},
	{
		method: 'GET',
		path: '/v2/campaigns',
		handle: ({ service }) => ok([...service.campaigns.values()].map(toRecord)),
	},
	{
		method: 'GET',
		path: '/v2/campaigns/:campaignId',
		handle: (call) => ok(toRecord(campaignOf(call))),
	},
	{
		method: 'GET',
		path: '/v2/campaigns/:campaignId/status',
		handle(call) {
			const { id, name, state, creditsUsed } = campaignOf(call);
			const statistics = call.service.campaignPool(id).statistics();
			const { bounced, delivered, errors, replies, sent, submitted } = statistics;
			const undelivered = sent - delivered;
			return ok({
				bounces: bounced,
				creditsUsed,
				delivered,
				errors,
				id,
				name,
				replies,
				sent,
				state,
				submitted,
				undelivered,
			});
		},
	},
	{
		method: 'GET',
		path: '/v2/campaigns/:campaignId/replies',
		handle: (call) => okArray([call.service.campaignPool(campaignOf(call).id).replies]),
	},
	{
		method: 'GET',
		path: '/v2/campaigns/:campaignId/blacklists',
		handle: (call) =>
			ok(
				call.service
					.campaignPool(campaignOf(call).id)
					.blacklistAnswer(call.service.settings),
			),
	},
];

export const extendedEndpoints: readonly Endpoint[] = [
	...blacklists,
	...lists,
	...check,
	...campaigns,
];

/** @throws {Refusal} code 47 when there is none with this id, of the kind in the path if any */
function campaignOf({ service, params }: Call): Campaign {
	const campaign = service.campaigns.get(params.campaignId);
	const wrongKind = params.kind !== undefined && params.kind !== campaign?.kind;
	if (campaign === undefined || wrongKind) throw new Refusal(47);
	return campaign;
}

/** The keys of a campaign's record that public clients read. */
function toRecord(campaign: Campaign): Record<string, unknown> {
	return {
		id: campaign.id,
		campaignId: campaign.id,
		name: campaign.name,
		message: campaign.message,
		sendList: { id: campaign.listId },
		state: campaign.state,
		type: campaign.kind.toUpperCase(),
		sourceAddress: campaign.sourceAddress,
		date: campaign.date,
		totalCredits: campaign.creditsUsed,
	};
}

/**
 * Imports rows: an array of arrays, the first one naming the columns (by name or id), the number
 * in `tel`. All or nothing; numbers that are there already are skipped.
 * @throws {Refusal} code 73 for another shape, 75 without `tel`, and as adding a contact does
 */
function importRows(list: ContactList, body: unknown): void {
	if (!Array.isArray(body) || !body.every((row) => Array.isArray(row))) throw new Refusal(73);
	const [head = [], ...rows] = body as unknown[][];
	const numberColumn = head.indexOf('tel');
	if (numberColumn === -1) throw new Refusal(75);
	const ids = head.map((title, index) =>
		index === numberColumn ? undefined : fieldIdOf(list, title),
	);
	const contacts = rows.map((row) => {
		const attributes: Record<string, unknown> = {};
		for (const [index, id] of ids.entries()) {
			const value = row[index];
			if (id !== undefined && value !== undefined && value !== '') attributes[id] = value;
		}
		return {
			number: requireNumber(row[numberColumn]),
			attributes: list.checkAttributes(attributes),
		};
	});
	for (const { number, attributes } of contacts) {
		if (!list.has(number)) list.addContact(number, attributes);
	}
}

function fieldIdOf(list: ContactList, title: unknown): string {
	const field = list.fields.find(({ id, name }) => id === title || name === title);
	if (field === undefined)
		throw new Refusal(undefined, `The list has no column ${String(title)}`);
	return field.id;
}
