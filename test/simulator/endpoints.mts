/** The endpoints of interface document section 4, one entry per method and path. */
import type { BlacklistKind } from './blacklist.mts';
import { readCampaign } from './campaigns.mts';
import { jsonArray, type JsonCollection } from './collection.mts';
import { Refusal } from './errors.mts';
import {
	optionalDate,
	optionalSender,
	optionalText,
	requireNumber,
	requireObject,
	requireText,
	type MessageKind,
} from './limits.mts';
import type { Contact, ContactList } from './lists.mts';
import type { SimMessage } from './messages.mts';
import type { RecordedRequest } from './recorder.mts';
import type { Service } from './service.mts';

/** What the service answers. Without `json` and `chunks` there is no body. */
export interface Answer {
	status: number;
	json?: unknown;
	/** A JSON body that is ready to be written, in pieces. */
	chunks?: Buffer[];
	headers?: Record<string, string>;
}

/** What a handler works with. */
export interface Call {
	service: Service;
	request: RecordedRequest;
	/** The decoded `:name` parts of the path. */
	params: Readonly<Record<string, string>>;
}

export interface Endpoint {
	method: string;
	/** The path; `:name` stands for one segment, `:name(a|b)` for one of these. */
	path: string;
	/** True when the key comes in the query (interface document 5.3) and the handler checks it. */
	keyInQuery?: (request: RecordedRequest) => boolean;
	handle: (call: Call) => Answer;
}

/** Path segment: the kind of message. */
export const KIND = ':kind(marketing|notification)';
/** Path segment: the kind of account blacklist. */
export const BLACKLIST = ':blacklist(unsubscribers|bounces)';

const blacklists: Endpoint[] = [
	{
		method: 'POST',
		path: `/v2/${BLACKLIST}/default/contacts`,
		handle({ service, request, params }) {
			const written = requireIdentifier(service, jsonBody(request).identifier);
			const kind = params.blacklist as BlacklistKind;
			if (
				service.settings.duplicates === 'refuse' &&
				service.blacklist(kind).lists(written)
			) {
				throw new Refusal(15);
			}
			return ok({ id: service.addWritten(kind, written).id });
		},
	},
	{
		method: 'GET',
		path: `/v2/${BLACKLIST}/default/contacts`,
		handle: ({ service, params }) =>
			okArray([service.blacklist(params.blacklist as BlacklistKind).entries]),
	},
	{
		method: 'DELETE',
		path: `/v2/${BLACKLIST}/default/contacts`,
		handle({ service, request, params }) {
			const written = requireIdentifier(service, request.query.get('identifier'));
			const blacklist = service.blacklist(params.blacklist as BlacklistKind);
			const entry = blacklist.find(written);
			if (entry === undefined || entry.deleted) throw notFound('This number is not listed');
			blacklist.setDeleted(entry, true);
			return noContent;
		},
	},
];

const campaigns: Endpoint[] = [
	{
		method: 'POST',
		path: `/v2/${KIND}/campaigns`,
		handle({ service, request, params }) {
			const kind = params.kind as MessageKind;
			const campaign = readCampaign(service, kind, jsonBody(request));
			service.campaigns.set(campaign.id, campaign);
			return ok({ id: campaign.id });
		},
	},
];

const sending: Endpoint[] = (['POST', 'GET'] as const).map((method) => ({
	method,
	path: `/v2/${KIND}/messages/send`,
	keyInQuery: isUrlForm,
	handle({ service, request, params }) {
		if (method === 'GET' && !isUrlForm(request)) throw methodNotAllowed();
		const fields = isUrlForm(request) ? urlFormFields(request) : jsonFields(service, request);
		const kind = params.kind as MessageKind;
		const message = service.accept({
			kind,
			number: requireNumber(fields.number),
			written: String(fields.number),
			text: requireText(fields.message, kind, service.settings.lineBreaks),
			sender: optionalSender(fields.sender),
			date: optionalDate(fields.date, 62),
			campaignName: optionalText(fields.campaignName, 40),
			category: optionalText(fields.category, 45),
		});
		return ok({ creditsUsed: message.creditsUsed, snapshotId: message.snapshotId });
	},
}));

const queries: Endpoint[] = [
	{
		method: 'GET',
		path: '/v2/messages/status',
		handle({ service, request }) {
			const message = findMessage(service, request.query);
			return message === undefined ? noMessage(service) : ok(statusOf(service, message));
		},
	},
	{
		method: 'GET',
		path: '/v2/messages/stats',
		handle({ service, request }) {
			const category = queriedCategory(service, request);
			return isLeftEmpty(service, category) ? ok({}) : ok(service.statistics(category));
		},
	},
	{
		method: 'GET',
		path: '/v2/messages/replies',
		handle({ service, request }) {
			const category = queriedCategory(service, request);
			return isLeftEmpty(service, category)
				? ok([])
				: okArray(service.replyCollections(category));
		},
	},
	{
		method: 'GET',
		path: '/v2/messages/blacklists',
		handle({ service, request }) {
			const category = request.query.get('category');
			if (!category) throw new Refusal(45);
			return isLeftEmpty(service, category)
				? ok({})
				: ok(service.category(category).blacklistAnswer(service.settings));
		},
	},
];

const lists: Endpoint[] = [
	{
		method: 'POST',
		path: '/v2/lists',
		handle({ service, request }) {
			return ok({ id: service.createList(requireName(jsonBody(request).name)).id });
		},
	},
	{
		method: 'GET',
		path: '/v2/lists',
		handle: ({ service }) =>
			ok([...service.lists.values()].map(({ id, name }) => ({ id, name }))),
	},
	{
		method: 'GET',
		path: '/v2/lists/:listId',
		handle({ service, params }) {
			const { id, name, fields } = service.list(params.listId);
			return ok({ id, name, fields });
		},
	},
	{
		method: 'DELETE',
		path: '/v2/lists/:listId',
		handle({ service, params }) {
			service.lists.delete(service.list(params.listId).id);
			return noContent;
		},
	},
	{
		method: 'POST',
		path: '/v2/lists/:listId/fields',
		handle({ service, request, params }) {
			const list = service.list(params.listId);
			const { name, type, format } = jsonBody(request);
			return ok({ id: list.addField(requireName(name), type, format).id });
		},
	},
	{
		method: 'POST',
		path: '/v2/lists/:listId/contacts',
		handle({ service, request, params }) {
			const list = service.list(params.listId);
			const { identifier, attributes } = jsonBody(request);
			const written = requireIdentifier(service, identifier);
			return ok({ id: list.addContact(written, requireMap(attributes)).id });
		},
	},
	{
		method: 'GET',
		path: '/v2/lists/:listId/contacts',
		handle: ({ service, params }) => okArray([service.list(params.listId).contacts]),
	},
	{
		method: 'DELETE',
		path: '/v2/lists/:listId/:segment(contact|contacts)',
		handle({ service, request, params }) {
			const { deletePath } = service.settings;
			if (deletePath !== 'both' && deletePath !== params.segment) throw noRoute();
			const list = service.list(params.listId);
			const written = requireIdentifier(service, request.query.get('identifier'));
			return removeContact(list, (contact) => contact.identifier === written);
		},
	},
	{
		method: 'DELETE',
		path: '/v2/lists/:listId/contacts/:contactId',
		handle({ service, params }) {
			const list = service.list(params.listId);
			return removeContact(list, (contact) => contact.id === params.contactId);
		},
	},
];

const account: Endpoint[] = [
	{
		method: 'GET',
		path: '/v2/account/stats',
		handle: ({ service }) => ok(service.accountStatistics()),
	},
];

/** Everything that the interface document states. */
export const coreEndpoints: readonly Endpoint[] = [
	...blacklists,
	...campaigns,
	...sending,
	...queries,
	...lists,
	...account,
];

export function ok(json: unknown): Answer {
	return { status: 200, json };
}

export function okArray(collections: Iterable<JsonCollection<unknown>>): Answer {
	return { status: 200, chunks: jsonArray(collections) };
}

export const noContent: Answer = { status: 204 };

export function notFound(message: string): Refusal {
	return new Refusal(undefined, message, 404);
}

export function noRoute(): Refusal {
	return notFound('Not found');
}

export function methodNotAllowed(): Refusal {
	return new Refusal(undefined, 'Method not allowed', 405);
}

/**
 * The body of a request as JSON, any value.
 * @throws {Refusal} code 73 when it isn't JSON or isn't declared as such (interface document 4)
 */
export function parsedBody(request: RecordedRequest): unknown {
	if (!/^application\/json\s*(;|$)/i.test(request.header('content-type') ?? '')) {
		throw new Refusal(73, 'Content-Type must be application/json', 415);
	}
	try {
		return request.json();
	} catch {
		throw new Refusal(73);
	}
}

/**
 * The body of a request as a JSON object.
 * @throws {Refusal} code 73 when it is anything else
 */
export function jsonBody(request: RecordedRequest): Record<string, unknown> {
	return requireObject(parsedBody(request), 73);
}

function requireMap(value: unknown): Record<string, unknown> {
	return value === undefined ? {} : requireObject(value, undefined);
}

function requireName(value: unknown): string {
	if (typeof value !== 'string' || value.trim() === '') {
		throw new Refusal(undefined, 'A name is needed');
	}
	return value;
}

/** The send as a URL with query parameters (interface document 4.3). */
function isUrlForm(request: RecordedRequest): boolean {
	return request.query.has('apiKey') || request.query.has('identifier');
}

function urlFormFields({ query }: RecordedRequest): Record<string, unknown> {
	return {
		number: query.get('identifier') ?? undefined,
		message: query.get('message') ?? undefined,
		sender: query.get('sender') ?? undefined,
	};
}

function jsonFields(service: Service, request: RecordedRequest): Record<string, unknown> {
	const body = jsonBody(request);
	if (!service.settings.legacyFieldNames) return body;
	return {
		...body,
		number: body.number ?? body.identifier,
		category: body.category ?? body.tag,
	};
}

function queriedCategory(service: Service, request: RecordedRequest): string | undefined {
	const category = request.query.get('category');
	if (!category && !service.settings.withoutCategory) throw new Refusal(45);
	return category || undefined;
}

/**
 * Whether the answer for a category is to be empty, because the service doesn't know it.
 * @throws {Refusal} where the dialect refuses an unknown category
 */
function isLeftEmpty(service: Service, category: string | undefined): boolean {
	if (category === undefined || !service.isUnknown(category)) return false;
	switch (service.settings.unknownCategory) {
		case 'zeros':
			return false;
		case 'empty':
			return true;
		case 'code16':
			throw new Refusal(16);
		case 'notFound':
			throw notFound('No message has this category');
	}
}

/** The message of a status query; undefined when there is none, or when its date has not come yet. */
function findMessage(service: Service, query: URLSearchParams): SimMessage | undefined {
	const snapshotId = query.get('snapshotId');
	const message =
		snapshotId === null
			? latestTo(service, query.get('identifier'))
			: service.messageBySnapshot(snapshotId);
	return message?.state === 'scheduled' ? undefined : message;
}

function latestTo(service: Service, identifier: string | null): SimMessage | undefined {
	const written = requireIdentifier(service, identifier);
	return service.settings.numbers === 'text'
		? service.latestMessageWrittenTo(written)
		: service.latestMessageTo(written);
}

/** @throws {Refusal} where the dialect refuses */
function noMessage({ settings }: Service): Answer {
	switch (settings.noMessage) {
		case 'code16':
			throw new Refusal(16);
		case 'notFound':
			throw notFound('No message found for this query');
		case 'list':
			return ok([]);
		case 'object':
			return ok({});
	}
}

/**
 * Takes the number of a contact, an entry or a query from a request.
 * @returns the number in E.164, or as it is written where numbers are texts
 * @throws {Refusal} as `requireNumber`
 */
function requireIdentifier(service: Service, value: unknown): string {
	const number = requireNumber(value);
	return service.settings.numbers === 'text' ? String(value) : number;
}

/** Message status (interface document 2.7). */
function statusOf(service: Service, message: SimMessage): Record<string, unknown> {
	const { states } = service.settings;
	return {
		id: service.hasLongIds ? message.snapshotId : Number(message.snapshotId),
		state: states === 'upper' ? message.state.toUpperCase() : message.state,
		stateDate: message.stateDate,
		sent: message.sent,
		submitted: message.submitted,
		delivered: message.delivered,
		reply: message.reply,
		test: message.test,
	};
}

function removeContact(list: ContactList, matches: (contact: Contact) => boolean): Answer {
	if (list.contacts.removeWhere(matches) === 0) throw notFound('Contact not found');
	return noContent;
}
