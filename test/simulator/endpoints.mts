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

/** An answer of the service. Without `json` and `chunks` there is no body. */
export interface Answer {
	status: number;
	json?: unknown;
	/** A JSON body that is ready to be written, in pieces. */
	chunks?: Buffer[];
	headers?: Record<string, string>;
}

/** The input of a handler. */
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

/** Takes a message from a request, as JSON or in the form of a URL. */
function send({ service, request, params }: Call): Answer {
	const fields = isUrlForm(request) ? urlFormFields(request) : jsonFields(service, request);
	const kind = params.kind as MessageKind;
	const { creditsUsed, snapshotId } = service.accept({
		kind,
		number: requireNumber(fields.number),
		written: String(fields.number),
		text: requireText(fields.message, kind, service.settings.lineBreaks),
		sender: optionalSender(fields.sender),
		date: optionalDate(fields.date, 62),
		campaignName: optionalText(fields.campaignName, 40),
		category: optionalText(fields.category, 45),
	});
	return ok({ creditsUsed, snapshotId });
}

const blacklistOf = ({ service, params }: Call) =>
	service.blacklist(params.blacklist as BlacklistKind);
const listOf = ({ service, params }: Call) => service.list(params.listId);

/** The endpoints, by method and path. */
const ENDPOINTS: Record<string, (call: Call) => Answer> = {
	// 4.1
	[`POST /v2/${BLACKLIST}/default/contacts`]: (call) => {
		const { service, request, params } = call;
		const written = requireIdentifier(service, jsonBody(request).identifier);
		if (service.settings.duplicates === 'refuse' && blacklistOf(call).lists(written)) {
			throw new Refusal(15);
		}
		return ok({ id: service.addWritten(params.blacklist as BlacklistKind, written).id });
	},
	[`GET /v2/${BLACKLIST}/default/contacts`]: (call) => okArray([blacklistOf(call).entries]),
	[`DELETE /v2/${BLACKLIST}/default/contacts`]: (call) => {
		const blacklist = blacklistOf(call);
		const entry = blacklist.find(queriedIdentifier(call));
		if (entry === undefined || entry.deleted) throw notFound('This number is not listed');
		blacklist.setDeleted(entry, true);
		return noContent;
	},

	// 4.2
	[`POST /v2/${KIND}/campaigns`]: ({ service, request, params }) => {
		const campaign = readCampaign(service, params.kind as MessageKind, jsonBody(request));
		service.campaigns.set(campaign.id, campaign);
		return ok({ id: campaign.id });
	},

	// 4.3
	[`POST /v2/${KIND}/messages/send`]: send,
	[`GET /v2/${KIND}/messages/send`]: (call) => {
		if (!isUrlForm(call.request)) throw methodNotAllowed();
		return send(call);
	},

	// 4.4
	'GET /v2/messages/status': ({ service, request }) => {
		const message = findMessage(service, request.query);
		return message === undefined ? noMessage(service) : ok(statusOf(service, message));
	},
	'GET /v2/messages/stats': (call) =>
		ofCategory(call, {}, (category) => ok(call.service.statistics(category))),
	'GET /v2/messages/replies': (call) =>
		ofCategory(call, [], (category) => okArray(call.service.replyCollections(category))),
	'GET /v2/messages/blacklists': (call) => {
		const { service, request } = call;
		if (!request.query.get('category')) throw new Refusal(45);
		return ofCategory(call, {}, (category) =>
			ok(service.category(category).blacklistAnswer(service.settings)),
		);
	},

	// 4.5
	'POST /v2/lists': ({ service, request }) =>
		ok({ id: service.createList(requireName(jsonBody(request).name)).id }),
	'GET /v2/lists': ({ service }) =>
		ok([...service.lists.values()].map(({ id, name }) => ({ id, name }))),
	'GET /v2/lists/:listId': (call) => {
		const { id, name, fields } = listOf(call);
		return ok({ id, name, fields });
	},
	'DELETE /v2/lists/:listId': (call) => {
		call.service.lists.delete(listOf(call).id);
		return noContent;
	},
	'POST /v2/lists/:listId/fields': (call) => {
		const list = listOf(call);
		const { name, type, format } = jsonBody(call.request);
		return ok({ id: list.addField(requireName(name), type, format).id });
	},
	'POST /v2/lists/:listId/contacts': (call) => {
		const list = listOf(call);
		const { identifier, attributes } = jsonBody(call.request);
		const written = requireIdentifier(call.service, identifier);
		return ok({ id: list.addContact(written, requireMap(attributes)).id });
	},
	'GET /v2/lists/:listId/contacts': (call) => okArray([listOf(call).contacts]),
	'DELETE /v2/lists/:listId/:segment(contact|contacts)': (call) => {
		const { deletePath } = call.service.settings;
		if (deletePath !== 'both' && deletePath !== call.params.segment) throw noRoute();
		const list = listOf(call);
		const written = queriedIdentifier(call);
		return removeContact(list, (contact) => contact.identifier === written);
	},
	'DELETE /v2/lists/:listId/contacts/:contactId': (call) =>
		removeContact(listOf(call), (contact) => contact.id === call.params.contactId),

	// 4.6
	'GET /v2/account/stats': ({ service }) => ok(service.accountStatistics()),
};

/** The endpoints of a table. In a send, the key may be in the query (interface document 5.3). */
export function endpointsOf(table: Record<string, Endpoint['handle']>): readonly Endpoint[] {
	return Object.entries(table).map(([name, handle]) => {
		const [method, path] = name.split(' ');
		const keyInQuery = path.endsWith('/messages/send') ? isUrlForm : undefined;
		return { method, path, keyInQuery, handle };
	});
}

/** All that the interface document states. */
export const coreEndpoints = endpointsOf(ENDPOINTS);

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

/**
 * Answers for a category, or for the whole account without one.
 *
 * @param nothing the answer for a category that the service doesn't know, where the dialect says so
 * @throws {Refusal} where the dialect wants a category, or refuses one that the service doesn't know
 */
function ofCategory(
	{ service, request }: Call,
	nothing: object,
	answer: (category: string | undefined) => Answer,
): Answer {
	const { unknownCategory, withoutCategory } = service.settings;
	const category = request.query.get('category') || undefined;
	if (category === undefined && !withoutCategory) throw new Refusal(45);
	if (category === undefined || !service.isUnknown(category)) return answer(category);
	switch (unknownCategory) {
		case 'zeros':
			return answer(category);
		case 'empty':
			return ok(nothing);
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

const queriedIdentifier = ({ service, request }: Call) =>
	requireIdentifier(service, request.query.get('identifier'));

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
