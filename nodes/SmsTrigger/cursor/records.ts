import { forEach } from '../../shared/run/chunks';

/**
 * Records of the same width, one after the other, in one text: what JSON and n8n's database keep without
 * escapes. A digit stands for 6 bits.
 */
export const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * Records that went missing from the answers of the service: since which hour (since the Unix epoch)
 * their absence counts, for how many polls in a row they have been missing, and the records.
 */
export type Absence = [hour: number, polls: number, records: string];

/**
 * For how long, and in how many polls in a row, an entry has to be missing until it is forgotten. An
 * entry that comes back sooner was never really gone. A service that answers wrongly for a night must
 * not replay everything in the morning.
 */
const GRACE_HOURS = 24;
const GRACE_POLLS = 5;
/**
 * An answer that lacks more than half of what was there in the last one is no evidence that it is gone:
 * the absence counts from a month later on.
 */
const DOUBTFUL_HOURS = 30 * 24;
const HOUR = 3_600_000;

/** Whether a value is records of this width; anything else is not ours, or damaged. */
export function areRecords(value: unknown, width: number): value is string {
	return typeof value === 'string' && value.length % width === 0 && /^[\w-]*$/.test(value);
}

/** Records that share two numbers. */
export type Row = [number, number, records: string];

/** Whether a value is rows with records of this width; anything else is not ours, or damaged. */
export function areRows(value: unknown, width: number): value is Row[] {
	const isRow = (row: unknown) =>
		Array.isArray(row) &&
		row.slice(0, 2).every(Number.isSafeInteger) &&
		areRecords(row[2], width);
	return Array.isArray(value) && value.every(isRow);
}

/** Puts rows with the same two numbers together, the order within kept. */
export function joinRows<R extends Row>(rows: Iterable<R>): R[] {
	const joined = new Map<string, R>();
	for (const row of rows) {
		const place = `${row[0]} ${row[1]}`;
		const same = joined.get(place);
		if (same) same[2] += row[2];
		else joined.set(place, row);
	}
	return [...joined.values()];
}

/** Remembered records, and whether the service still has what one of them stands for. */
export interface Remembered {
	records: string;
	isThere: (record: string) => boolean;
}

/**
 * Goes through what is remembered, in slices that leave room for n8n's other work.
 *
 * @param remembered what was there in the last poll
 * @param absent what was missing
 * @param isBack whether one of those is there again
 * @returns what is missing now, without what is to be forgotten
 */
export async function findAbsences(
	width: number,
	remembered: readonly Remembered[],
	absent: readonly Absence[],
	isBack: Remembered['isThere'],
): Promise<Absence[]> {
	const now = Math.floor(Date.now() / HOUR);
	let missing = '';
	let present = 0;
	for (const { records, isThere } of remembered) {
		const without = await findMissing(records, width, isThere);
		missing += without;
		present += records.length - without.length;
	}
	const aged: Absence[] = [];
	for (const [hour, polls, records] of absent) {
		const still = await findMissing(records, width, isBack);
		aged.push([hour, Math.min(polls + 1, GRACE_POLLS), still]);
	}
	aged.push([missing.length > present ? now + DOUBTFUL_HOURS - GRACE_HOURS : now, 1, missing]);
	const isKept = ([hour, polls, records]: Absence) =>
		records !== '' && (polls < GRACE_POLLS || now - hour <= GRACE_HOURS);
	return joinRows(aged.filter(isKept));
}

/** The records of which `isThere` denies that they are there. */
export async function findMissing(
	records: string,
	width: number,
	isThere: Remembered['isThere'],
): Promise<string> {
	const missing: string[] = [];
	await forEach(recordsIn(records, width), (record) => {
		if (!isThere(record)) missing.push(record);
	});
	return missing.join('');
}

function* recordsIn(records: string, width: number): Iterable<string> {
	for (let at = 0; at < records.length; at += width) yield records.slice(at, at + width);
}
