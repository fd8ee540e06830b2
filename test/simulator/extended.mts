/** Endpoints that only the public facts about the service state, not the interface document. */
import { sendCampaign, testCampaign, type Campaign } from './campaigns.mts';
import {
	KIND,
	endpointsOf,
	jsonBody,
	noContent,
	notFound,
	ok,
	okArray,
	parsedBody,
	type Answer,
	type Call,
} from './endpoints.mts';
import { Refusal } from './errors.mts';
import { requireNumber } from './limits.mts';
import type { ContactList } from './lists.mts';

/** The endpoints, by method and path. */
const ENDPOINTS: Record<string, (call: Call) => Answer> = {
	'DELETE /v2/lists/:listId/fields/:fieldId': ({ service, params }) => {
		if (!service.list(params.listId).removeField(params.fieldId)) {
			throw notFound('Column not found');
		}
		return noContent;
	},
	'POST /v2/lists/:listId/empty': ({ service, params }) => {
		service.list(params.listId).contacts.replace([]);
		return noContent;
	},
	'POST /v2/lists/:listId/import': ({ service, request, params }) => {
		const list = service.list(params.listId);
		importRows(list, parsedBody(request));
		return { status: 201, headers: { Location: `/v2/lists/${list.id}/contacts` } };
	},
	[`POST /v2/${KIND}/campaigns/:campaignId/test`]: (call) => {
		const number = requireNumber(jsonBody(call.request).identifier);
		return ok({ creditsUsed: testCampaign(call.service, campaignOf(call), number) });
	},
	[`POST /v2/${KIND}/campaigns/:campaignId/send`]: (call) =>
		ok({ creditsUsed: sendCampaign(call.service, campaignOf(call)) }),
	'GET /v2/campaigns': ({ service }) => ok([...service.campaigns.values()].map(toRecord)),
	'GET /v2/campaigns/:campaignId': (call) => ok(toRecord(campaignOf(call))),
	'GET /v2/campaigns/:campaignId/status': (call) => {
		const { id, name, state, creditsUsed } = campaignOf(call);
		const { bounced, delivered, errors, replies, sent, submitted } = poolOf(call).statistics();
		const undelivered = sent - delivered;
		return ok({
			...{ id, name, state, creditsUsed, bounces: bounced, delivered, errors, replies },
			...{ sent, submitted, undelivered },
		});
	},
	'GET /v2/campaigns/:campaignId/replies': (call) => okArray([poolOf(call).replies]),
	'GET /v2/campaigns/:campaignId/blacklists': (call) =>
		ok(poolOf(call).blacklistAnswer(call.service.settings)),
};

export const extendedEndpoints = endpointsOf(ENDPOINTS);

const poolOf = (call: Call) => call.service.campaignPool(campaignOf(call).id);

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
