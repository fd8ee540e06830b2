/** What is known in all of what may have been carried out before (design, guarantee 5). */
import { describe, expect, test } from 'vitest';
import { HELD_BACK, type Outcome } from '../../../nodes/shared/run/outcome.ts';
import { inAll } from '../../../nodes/shared/run/unknown.ts';

const REFUSED: Outcome = {
	status: 'refused',
	message: 'No credit',
	advice: '',
	code: 71,
	transient: false,
	general: true,
};

describe('after an earlier try that may have gone through', () => {
	test('a refusal leaves it unknown, and still says how the service is now', () => {
		const { isEarlier, ...outcome } = inAll(REFUSED, true) as { isEarlier?: boolean };
		expect(outcome).toMatchObject({ status: 'unknown', code: 71, general: true });
		expect(isEarlier).not.toBe(true);
	});

	test('what was not started is unknown, is told as such, and says nothing of the service', () => {
		const { isHeldBack, ...outcome } = inAll(HELD_BACK, true);
		expect(outcome).toMatchObject({ status: 'unknown', isEarlier: true });
		expect(isHeldBack).toBeUndefined();
	});

	test.each<Outcome>([
		{ status: 'done', value: {} },
		{ status: 'previewed', fields: {} },
		{ ...REFUSED, status: 'unknown' },
	])('$status stays what it is', (outcome) => {
		expect(inAll(outcome, true)).toBe(outcome);
	});
});

test('after none, every outcome stays what it is', () => {
	expect(inAll(REFUSED, false)).toBe(REFUSED);
});
