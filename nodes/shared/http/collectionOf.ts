import { forEach } from '../chunks';
import { asRecords } from '../service/records';
import type { Reader } from './failure';

/** Records of a collection. */
export interface Collection<T> {
	records: T[];
	/** How many could not be read. */
	leftOut: number;
}

/**
 * Makes a reader of a collection, of which there may be hundreds of thousands of records: with breaks for n8n's other
 * work. A record that makes no sense is left out; an answer of which nothing makes sense is no such collection.
 *
 * @param readRecord undefined for anything else than such a record
 * @param recordsIn finds the records in an answer; by default, it is a list of them
 */
export function collectionOf<T>(
	readRecord: (record: unknown) => T | undefined,
	recordsIn: (body: unknown) => readonly unknown[] | undefined = asRecords,
): Reader<Collection<T>> {
	return async (body) => {
		const answered = recordsIn(body);
		if (answered === undefined) return undefined;
		const records: T[] = [];
		await forEach(answered, (each) => {
			const record = readRecord(each);
			if (record !== undefined) records.push(record);
		});
		const leftOut = answered.length - records.length;
		return leftOut > 0 && records.length === 0 ? undefined : { records, leftOut };
	};
}
