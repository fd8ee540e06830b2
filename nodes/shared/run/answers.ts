import { isFailure } from './outcome';
import type { Policy } from './policy';
import { detailsOf } from './tell';

/**
 * The policy of most operations: the first failure stops the run and is its error, unless the user
 * continues on fail; results are the service's answers.
 */
export const answers: Policy = {
	settings: () => ({}),
	goesOn: (continues) => continues,
	judge: (continues) => ({
		stopsAt: (outcome) => !continues && isFailure(outcome),
		stoppedBy: undefined,
	}),
	jsonOf(entry, outcome, teller) {
		if (outcome.status === 'done') {
			const { extra = {} } = entry.prepared ?? {};
			const whom = 'number' in extra ? { number: extra.number } : {};
			return { ...whom, ...outcome.value, ...extra };
		}
		if (outcome.status === 'skipped') {
			return { status: 'skipped', reason: outcome.reason, ...teller.who(entry) };
		}
		if (outcome.status === 'previewed') {
			return { status: 'wouldSend', ...teller.who(entry), ...outcome.fields };
		}
		const { message, advice } = teller.tell(outcome, entry);
		const { code, httpCode } = isFailure(outcome) ? outcome : {};
		return {
			error: message,
			status: outcome.status,
			...(advice ? { description: advice } : {}),
			...(code === undefined ? {} : { code }),
			...(httpCode === undefined ? {} : { httpCode }),
			...(isFailure(outcome) ? detailsOf(outcome) : {}),
			...teller.who(entry),
		};
	},
	errorOf(teller) {
		const { entries, firstFailed } = teller.run;
		const invalid = teller.invalidItems();
		if (invalid !== undefined) return invalid;
		const entry = firstFailed ?? entries.find(({ outcome }) => outcome && isFailure(outcome));
		if (entry?.outcome === undefined || !isFailure(entry.outcome)) return undefined;
		return teller.stopped(entry, entry.outcome);
	},
	hintOf(teller) {
		const { trial = [], notes, problems } = teller.run;
		const failures = teller.failures();
		const lines = [
			trial,
			...teller.scheduled(),
			...failures,
			...teller.skipped(),
			...notes,
			...problems,
		].flat();
		const type = problems.length > 0 || failures.length > 0 ? 'warning' : 'info';
		return lines.length === 0 ? undefined : { message: lines.join(' '), type };
	},
};
