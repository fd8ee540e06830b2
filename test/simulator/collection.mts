/** A JSON array that is kept ready to be sent: a million items must cost little to hold and serve. */

const SEGMENT_SIZE = 10_000;

interface Segment<T> {
	count: number;
	/** Set unless the segment was loaded in bulk and nobody has looked at its items yet. */
	items?: T[];
	/** The items as JSON, comma-separated; dropped when an item changes. */
	bytes?: Buffer;
}

const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');
const COMMA = Buffer.from(',');

/**
 * An ordered collection that is served as one JSON array. Adding an item serializes only the last
 * segment anew; items loaded in bulk exist as bytes only until somebody asks for them.
 */
export class JsonCollection<T> {
	private segments: Array<Segment<T>> = [];
	private size = 0;
	/** Grows with every change; lets an index over the items see that it is out of date. */
	version = 0;

	get length(): number {
		return this.size;
	}

	add(item: T): void {
		const last = this.segments.at(-1);
		if (last?.items !== undefined && last.count < SEGMENT_SIZE) {
			last.items.push(item);
			last.count++;
			last.bytes = undefined;
		} else {
			this.segments.push({ count: 1, items: [item] });
		}
		this.size++;
		this.version++;
	}

	/** Adds `count` items, the i-th being `make(i)`, without keeping them as objects. */
	addBulk(count: number, make: (index: number) => T): void {
		for (let start = 0; start < count; start += SEGMENT_SIZE) {
			const end = Math.min(start + SEGMENT_SIZE, count);
			const parts: string[] = [];
			for (let index = start; index < end; index++) parts.push(JSON.stringify(make(index)));
			this.segments.push({ count: end - start, bytes: Buffer.from(parts.join(',')) });
		}
		this.size += count;
		this.version++;
	}

	/** All items. Changing one in place needs a call of `changed()`. */
	items(): T[] {
		return this.segments.flatMap((segment) => (segment.items ??= parseSegment<T>(segment)));
	}

	changed(): void {
		for (const segment of this.segments) {
			if (segment.items !== undefined) segment.bytes = undefined;
		}
		this.version++;
	}

	/** Replaces everything, in this order. */
	replace(items: readonly T[]): void {
		this.segments = [];
		this.size = 0;
		for (const item of items) this.add(item);
		this.version++;
	}

	/** Removes the items for which the predicate is true. Returns how many there were. */
	removeWhere(matches: (item: T) => boolean): number {
		let removed = 0;
		for (const segment of this.segments) {
			segment.items ??= parseSegment<T>(segment);
			const kept = segment.items.filter((item) => !matches(item));
			if (kept.length === segment.count) continue;
			removed += segment.count - kept.length;
			segment.items = kept;
			segment.count = kept.length;
			segment.bytes = undefined;
		}
		if (removed > 0) {
			this.segments = this.segments.filter((segment) => segment.count > 0);
			this.size -= removed;
			this.version++;
		}
		return removed;
	}

	/** The items as JSON without brackets, in pieces; nothing when empty. */
	pieces(): Buffer[] {
		return this.segments.map((segment) => {
			segment.bytes ??= Buffer.from(
				(segment.items ?? []).map((item) => JSON.stringify(item)).join(','),
			);
			return segment.bytes;
		});
	}
}

function parseSegment<T>(segment: Segment<T>): T[] {
	return JSON.parse(`[${segment.bytes?.toString('utf8') ?? ''}]`) as T[];
}

/** The JSON array of all items of some collections, one after the other, as buffers to write. */
export function jsonArray(collections: Iterable<JsonCollection<unknown>>): Buffer[] {
	const chunks: Buffer[] = [OPEN];
	for (const collection of collections) {
		for (const piece of collection.pieces()) {
			if (chunks.length > 1) chunks.push(COMMA);
			chunks.push(piece);
		}
	}
	chunks.push(CLOSE);
	return chunks;
}
