/** For how long a failed request is repeated. What is repeated at all is in engine/delivery/matrix.test.mts. */
import { expect, test } from 'vitest';
import { retryAfter } from '../../../nodes/shared/run/retryPolicy.ts';

test.each<[seconds: number, waited: number, isRepeated: boolean]>([
	[25, 0, true],
	[25, 30, true],
	[25, 50, false],
	[70, 0, false],
])('a wait of %i seconds, behind waits of %i: %s', (seconds, waited, isRepeated) => {
	const failure = {
		...({ status: 'notSent', message: '', advice: '', concernsAll: true } as const),
		...{ transient: true, retryAfterMs: seconds * 1_000 },
	};
	const after = retryAfter(failure, { isSafe: false, tries: 2, waited: waited * 1_000 });
	expect(after !== undefined).toBe(isRepeated);
});
