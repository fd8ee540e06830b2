/** Results that are kept: a run asks for each several times. */
const MOST_KEPT = 1_000;

/** A function that keeps its results, by the texts that it was called with. */
export function remember<Texts extends Array<string | undefined>, Result>(
	work: (...texts: Texts) => Result,
): (...texts: Texts) => Result {
	const results = new Map<string, Result>();
	return (...texts) => {
		const key = texts.join(' ');
		if (!results.has(key)) {
			if (results.size >= MOST_KEPT) results.clear();
			results.set(key, work(...texts));
		}
		return results.get(key) as Result;
	};
}
