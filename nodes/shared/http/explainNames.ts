/** Names in the place of IDs: the service knows its lists and campaigns by their IDs only. */
import { CAMPAIGNS, asCampaign } from '../service/campaigns';
import { meaningOf } from '../service/errorCodes';
import { show } from '../service/InputError';
import { isSimilarName, LISTS, readListSummary } from '../service/lists';
import { collectionOf } from './collectionOf';
import type { Connection } from './connection';
import type { Failure } from './failure';
import type { ServiceRequest } from './request';

/** Milliseconds: without an answer, the failure stays as it is. */
const PATIENCE = 10_000;

/** What is given by its ID, in a field of its own. */
const KINDS = [
	{ what: 'list', field: 'List', means: 'listNotFound', endpoint: LISTS, read: readListSummary },
	{
		what: 'campaign',
		field: 'Campaign',
		means: 'campaignNotFound',
		endpoint: CAMPAIGNS,
		read: asCampaign,
	},
] as const;

type Kind = (typeof KINDS)[number];
type Asking = Pick<Connection, 'request'>;

/** The same connection. Where an ID is not found that is a name, the failure gives the ID of what has the name. */
export function explainNames(connection: Asking): Asking {
	const cache = new Map<string, Promise<ReadonlyArray<{ id: string; name?: unknown }>>>();
	const ask = async ({ endpoint, read }: Kind) => {
		const reader = collectionOf<{ id: string; name?: unknown }>(read);
		const all = await connection.request({ endpoint }, reader, { timeout: PATIENCE });
		return 'value' in all ? all.value.records : [];
	};
	return {
		async request(request, ...rest) {
			const result = await connection.request(request, ...rest);
			const kind = 'value' in result ? undefined : missingIn(request, result);
			if (kind === undefined) return result;
			const { what, field, endpoint } = kind;
			const name = request.path?.[`${what}Id`];
			if (!cache.has(endpoint)) cache.set(endpoint, ask(kind));
			const called = (await cache.get(endpoint)!).filter((one) =>
				isSimilarName(String(one.name), `${name}`),
			);
			if (called.length === 0) return result;
			const ids = called.map(({ id }) => id).join(' or ');
			return {
				...result,
				isName: true,
				message: `${show(name)} is the name of a ${what}, not its ID`,
				advice: `Choose it in '${field}', or enter its ID: ${ids}.`,
			};
		},
	};
}

/** The kind of what is not found, by its code, or where the request is about nothing else. */
function missingIn({ endpoint, path = {}, qs }: ServiceRequest, failure: Failure) {
	const means = meaningOf(failure);
	return KINDS.find((kind) => {
		const id = `${kind.what}Id`;
		if (path[id] === undefined) return false;
		const isAlone =
			qs === undefined && endpoint.lastIndexOf('{') === endpoint.indexOf(`{${id}}`);
		return means === kind.means || (means === 'nothingFound' && isAlone);
	});
}
