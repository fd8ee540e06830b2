import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { collectionOf } from './http/collectionOf';
import type { ServiceRequest } from './http/request';
import { parseAmount, parseSwitch } from './service/choices';
import { countOf } from './service/countOf';
import type { Fields } from './service/answers';
import type { Endpoint } from './service/endpoint';
import { defineOperation } from './run/define';
import type { Item } from './fields/item';
import type { Operation, OperationDefinition, Prepared } from './run/operation';
import type { Client } from './run/client';
import { forEach } from './chunks';

/** Makes the fields of an item from a record. */
type ToJson<T> = (record: T) => Fields;

/** Where a collection is: what stands in the braces of its endpoint, and the query. */
type Page = { at: Pick<ServiceRequest, 'path' | 'qs'> };

/** An operation that gives the records of a collection, one item each. */
export interface CollectionDefinition<T, P extends Prepared> extends Pick<
	OperationDefinition<P>,
	'name' | 'value' | 'action' | 'description' | 'builderHint' | 'options'
> {
	/** The fields above Return All and Limit. */
	fields?: INodeProperties[];
	/** Its request, as the interface document writes it. */
	request: Endpoint;
	/**
	 * Reads the parameters of an item.
	 *
	 * @returns `at` where the endpoint has braces or a query
	 */
	prepare: (item: Item) => P & Partial<Page>;
	/** Undefined for anything else than one of its records. */
	readRecord: (record: unknown) => T | undefined;
	/** Finds the records in an answer; by default, it is a list of them. */
	recordsIn?: (body: unknown) => readonly unknown[] | undefined;
	/** Leaves out records before they are counted. */
	wanted?: (record: NoInfer<T>, prepared: NoInfer<P>) => boolean;
	/**
	 * Makes the fields of an item from a record. By default, they are the record's own.
	 *
	 * @param records of the collection
	 */
	toJson?: (
		prepared: NoInfer<P>,
		records: ReadonlyArray<NoInfer<T>>,
		client: Client,
	) => Promise<ToJson<NoInfer<T>>> | ToJson<NoInfer<T>>;
	/**
	 * A note for a collection that holds nothing at all. With it, an answer that nothing
	 * was found is an empty collection.
	 */
	whenNothing?: (prepared: NoInfer<P>) => string;
}

/** Return All and Limit, as n8n words them. The service knows no paging: both are done here. */
const limitFields: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 50,
		displayOptions: { show: { returnAll: [false] } },
		description: 'Max number of results to return',
	},
];

/**
 * Get Many over a collection that the service answers whole (it knows no paging). Items that ask for
 * the same collection make one request.
 */
export function defineGetMany<T extends object, P extends Prepared = Prepared>(
	definition: CollectionDefinition<T, P>,
): Operation {
	const { fields = [], request, whenNothing } = definition;
	const read = collectionOf(definition.readRecord, definition.recordsIn);
	return defineOperation<P & Partial<Page> & { limit: number }>({
		...definition,
		kind: 'read',
		fields: [...fields, ...limitFields],
		prepare: (item) => ({ ...definition.prepare(item), limit: readLimit(item) }),
		async execute(prepared, client, { index }) {
			const get = { endpoint: request, ...prepared.at };
			const nothing = whenNothing && { records: [], leftOut: 0 };
			const { records: all, leftOut } = await client.once(get, read, nothing);
			if (leftOut > 0) client.note(leftOutNote(leftOut));
			if (all.length === 0 && whenNothing) client.note(whenNothing(prepared));
			const jsonOf = await definition.toJson?.(prepared, all, client);
			const items: INodeExecutionData[] = [];
			await forEach(all, (record) => {
				if (items.length >= prepared.limit) return;
				if (definition.wanted?.(record, prepared) === false) return;
				// A copy: other items may have the same collection.
				const json = { ...(jsonOf?.(record) ?? record) } as IDataObject;
				items.push({ json, pairedItem: { item: index } });
			});
			if (items.length === 0 && all.length > 0)
				client.note(`${countOf(all.length, 'record')} found, all left out by the options.`);
			return items;
		},
	});
}

/** How many results are wanted: Infinity for all. @throws InputError */
function readLimit(item: Item): number {
	if (parseSwitch(item.parameter('returnAll', false), 'Return All')) return Infinity;
	return parseAmount(item.parameter('limit', 50), {
		field: 'Limit',
		isAllowed: (amount) => Number.isInteger(amount) && amount >= 1,
		advice: "Enter a whole number of at least 1, or turn on 'Return All'.",
		byDefault: 50,
	});
}

function leftOutNote(count: number): string {
	const were = count === 1 ? 'was' : 'were';
	return `${countOf(count, 'record')} in the answer of the service could not be read and ${were} left out.`;
}
