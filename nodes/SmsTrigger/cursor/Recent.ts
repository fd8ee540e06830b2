/** What was not used for so long belongs to a trigger that is gone; n8n can poll once a week. */
const LONG = 8 * 24 * 3_600_000;
/** Most values; what was used least recently goes first. */
const MOST = 1_000;

/** A map that forgets what is no longer used, so that what a process remembers can't grow for ever. */
export class Recent<T> {
	/** In the order of their last use. */
	private readonly values = new Map<string, { value: T; at: number }>();

	get(key: string): T | undefined {
		const entry = this.values.get(key);
		if (entry !== undefined) this.set(key, entry.value);
		return entry?.value;
	}

	set(key: string, value: T): void {
		const at = Date.now();
		this.values.delete(key);
		this.values.set(key, { value, at });
		for (const [oldest, entry] of this.values) {
			if (this.values.size <= MOST && at - entry.at <= LONG) break;
			this.values.delete(oldest);
		}
	}

	delete(key: string): void {
		this.values.delete(key);
	}
}
