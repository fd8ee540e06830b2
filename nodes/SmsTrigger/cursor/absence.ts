import { isPacked } from './packed';

/**
 * What went missing from the answers of the service, packed: since which hour (since the Unix epoch)
 * its absence counts, for how many polls in a row it has been missing, and what it is.
 */
export type Absence = [hour: number, polls: number, packed: string];

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

/** Whether a value is absences with records of so many characters; anything else is damaged. */
export function areAbsences(value: unknown, width: number): value is Absence[] | undefined {
	return value === undefined || (Array.isArray(value) && value.every(isAbsence));

	function isAbsence(absence: unknown): absence is Absence {
		return (
			Array.isArray(absence) &&
			Number.isSafeInteger(absence[0]) &&
			Number.isSafeInteger(absence[1]) &&
			isPacked(absence[2], width)
		);
	}
}

/**
 * The absences after one more poll.
 *
 * @param absent what is still missing of those before
 * @param missing what is missing since this poll
 * @param present how much of what was there in the last poll is still there, in characters
 */
export function ageAbsences(
	absent: readonly Absence[],
	missing: string,
	present: number,
): Absence[] {
	const now = Math.floor(Date.now() / HOUR);
	const aged = absent.map(([hour, polls, packed]): Absence => {
		return [hour, Math.min(polls + 1, GRACE_POLLS), packed];
	});
	const from = missing.length > present ? now + DOUBTFUL_HOURS - GRACE_HOURS : now;
	aged.push([from, 1, missing]);
	const kept: Absence[] = [];
	for (const absence of aged) {
		const [hour, polls, packed] = absence;
		if (packed === '' || (polls >= GRACE_POLLS && now - hour > GRACE_HOURS)) continue;
		const same = kept.find((other) => other[0] === hour && other[1] === polls);
		if (same) same[2] += packed;
		else kept.push(absence);
	}
	return kept;
}

/** Whether two states remember the same absences. */
export function sameAbsences(a: readonly Absence[] = [], b: readonly Absence[] = []): boolean {
	return (
		a.length === b.length &&
		a.every((absence, at) => absence.every((field, part) => field === b[at][part]))
	);
}
