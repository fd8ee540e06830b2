import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { only } from '../shared/service/answers';
import { canonicalNumber } from '../shared/service/number';

/** Fields that people look at first in n8n's table; the IDs come after them. */
const FIRST = [
	'event',
	'number',
	'message',
	'intent',
	'state',
	'previousState',
	'credits',
	'threshold',
	'category',
	'receivedAt',
];

/** Events as items. The service dates neither replies nor blacklists: `receivedAt` is the time of the poll. */
export function toItems(events: readonly IDataObject[]): INodeExecutionData[] {
	const receivedAt = new Date().toISOString();
	return events.map((event) => {
		const json: IDataObject = { ...event, receivedAt };
		return { json: { ...only(json, FIRST), ...json } };
	});
}

/** The start of every event: what happened, where, and an ID that is the same whenever it is given. */
export function head(event: string, category: string | undefined, id: string): IDataObject {
	const place = category === undefined ? '' : encodeURIComponent(category);
	return { event, eventId: `${event}:${place}:${id}`, category: category ?? null };
}

/** The number of an event as the service writes it, and as results of the actions have it. */
export function identified(identifier: string | undefined): IDataObject {
	return identifier === undefined
		? { identifier: null, number: null }
		: { identifier, number: canonicalNumber(identifier) };
}

/** `replies of 'invoices'`, or `replies of the account`. */
export function titleOf(what: string, category: string | undefined): string {
	return category === undefined ? `${what} of the account` : `${what} of '${category}'`;
}
