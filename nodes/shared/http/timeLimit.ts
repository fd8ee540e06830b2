/** A request took longer than it may. Judged like any other request that is not answered in time. */
class TimeLimitError extends Error {
	readonly code = 'ETIMEDOUT';
}

/** The longest time that a timer of Node can measure. Milliseconds. */
const LONGEST = 2 ** 31 - 1;

/**
 * Gives work up at a time limit. n8n's own `timeout` counts each silence: an answer that drips never
 * exceeds it, and one that switches protocols (101) never ends.
 *
 * @param limit milliseconds
 * @param work is told by the signal that it is given up or cancelled
 * @throws TimeLimitError, and what the work throws
 */
export async function withinLimit<T>(
	limit: number,
	work: (signal: AbortSignal) => Promise<T>,
	cancelled?: AbortSignal,
): Promise<T> {
	const over = new AbortController();
	const giveUp = () => over.abort();
	// It keeps no process alive, and is dropped with its last listener.
	const timer = AbortSignal.timeout(Math.min(Math.ceil(limit), LONGEST));
	let expire = giveUp;
	const expired = new Promise<never>((_, reject) => {
		expire = () => {
			reject(new TimeLimitError());
			giveUp();
		};
		timer.addEventListener('abort', expire);
	});
	if (cancelled?.aborted) giveUp();
	cancelled?.addEventListener('abort', giveUp);
	try {
		return await Promise.race([work(over.signal), expired]);
	} finally {
		timer.removeEventListener('abort', expire);
		cancelled?.removeEventListener('abort', giveUp);
	}
}
