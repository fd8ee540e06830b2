/** Most values; what was used least recently goes first. */
const MOST = 1_000;

/**
 * A map that forgets what was used least recently, so that what a process remembers can't grow for ever.
 * Not by the clock: n8n can poll once a month.
 */
export class Recent<T> {
	/** In the order of their last use. */
	private readonly values = new Map<string, T>();

	get(key: string): T | undefined {
		const value = this.values.get(key);
		if (value !== undefined) this.set(key, value);
		return value;
	}

	set(key: string, value: T): void {
		this.values.delete(key);
		this.values.set(key, value);
		const [oldest] = this.values.keys();
		if (this.values.size > MOST) this.values.delete(oldest);
	}

	delete(key: string): void {
		this.values.delete(key);
	}
}
