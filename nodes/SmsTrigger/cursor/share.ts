/**
 * Divides what one poll may hand out among sources: in equal parts, what one doesn't need going to
 * the others, so that a backlog in one doesn't hold back the others.
 *
 * @param waiting how many entries each source could hand out
 * @param limit how many may be handed out in all
 * @param first which source is served first; where there is less than one for each, it decides
 * @returns how many each source may hand out, and which one got the last place
 */
export function shareOut(
	waiting: readonly number[],
	limit: number,
	first: number,
): { granted: number[]; last?: number } {
	const granted = waiting.map(() => 0);
	const order = waiting.map((_, at) => (at + first) % waiting.length);
	let last: number | undefined;
	for (let left = limit; left > 0; ) {
		const hungry = order.filter((source) => granted[source] < waiting[source]);
		if (hungry.length === 0) break;
		const part = Math.max(1, Math.floor(left / hungry.length));
		for (const source of hungry) {
			const more = Math.min(part, waiting[source] - granted[source], left);
			granted[source] += more;
			left -= more;
			if (more > 0) last = source;
		}
	}
	return { granted, last };
}
