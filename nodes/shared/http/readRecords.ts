import { forEach } from '../chunks';
import type { Collection } from '../service/records';
import type { Failure } from './failure';
import { unexpectedAnswer } from './judge';

/**
 * Reads the records of a collection, of which there may be hundreds of thousands, with breaks for n8n's other work. A
 * record that makes no sense is left out.
 *
 * @param readRecord undefined for anything else than such a record
 * @returns a failure where no record makes sense: the answer is no such collection
 */
export async function readRecords<T>(
	answered: readonly unknown[],
	readRecord: (record: unknown) => T | undefined,
): Promise<{ value: Collection<T> } | Failure> {
	const records: T[] = [];
	await forEach(answered, (each) => {
		const record = readRecord(each);
		if (record !== undefined) records.push(record);
	});
	const leftOut = answered.length - records.length;
	const isOther = leftOut > 0 && records.length === 0;
	return isOther ? unexpectedAnswer(answered) : { value: { records, leftOut } };
}
