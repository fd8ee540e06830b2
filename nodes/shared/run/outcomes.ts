import type { IDataObject } from 'n8n-workflow';
import { without } from '../service/answers';
import { countOf } from '../service/countOf';
import type { Entry } from './entries';
import { isFailure, type Failed, type Outcome } from './outcome';
import type { Policy } from './policy';
import { ofEarlierResult } from './table';
import { detailsOf, type Teller } from './tell';

/** Failures in a row, of what seems to concern the whole service, after which the rest isn't tried. */
const SUSPICIOUS_IN_A_ROW = 5;
/** Answers in a row that leave everything open, after which the rest isn't tried. */
const UNKNOWN_IN_A_ROW = 10;

/**
 * The policy of a batch: each item tells what became of it. What concerns all items stops the run, a bad
 * key at once, a service that is down after a few. A batch that has sent, scheduled and skipped nothing is an
 * error.
 */
export const outcomes: Policy = {
	settings: () => ({}),
	goesOn: (_, { stopsAtInvalid }) => stopsAtInvalid !== true,
	judge() {
		let inARow = 0;
		let stoppedBy: Failed | undefined;
		return {
			stopsAt(outcome) {
				if (outcome.status === 'done' || (isFailure(outcome) && saysNo(outcome))) {
					inARow = 0;
					return false;
				}
				if (!isFailure(outcome) || !isAboutService(outcome)) return false;
				inARow++;
				if (inARow < mostInARow(outcome)) return false;
				stoppedBy ??= outcome;
				return true;
			},
			get stoppedBy() {
				return stoppedBy;
			},
		};
	},
	jsonOf(entry, outcome, teller) {
		const { includesInput } = teller.run.settings;
		return {
			...(includesInput ? inputOf(entry, teller) : {}),
			...resultOf(entry, outcome, teller),
		};
	},
	errorOf(teller) {
		const { entries, settings, stoppedBy } = teller.run;
		const isWrong = ({ outcome }: Entry) =>
			outcome?.status === 'invalid' &&
			(outcome.general === true || settings.stopsAtInvalid === true);
		if (entries.some(isWrong)) return teller.invalidItems();
		const has = (...statuses: Array<Outcome['status']>) =>
			entries.some(({ outcome }) => outcome && statuses.includes(outcome.status));
		if (has('done', 'unknown')) return undefined;
		const failed = entries.flatMap((entry) => {
			const { outcome } = entry;
			return outcome && isFailure(outcome) ? [[entry, outcome] as const] : [];
		});
		const ofAll = failed.find(([, outcome]) => outcome.general || outcome === stoppedBy);
		if (ofAll !== undefined) return teller.ended(ofAll[0].index, stoppedBy ?? ofAll[1]);
		if (has('skipped', 'previewed')) return undefined;
		return teller.allWrong();
	},
	hintOf(teller) {
		const { entries, problems, notes, trial } = teller.run;
		const lines = [
			...(trial === undefined ? [] : [trial]),
			`${teller.counts()}.`,
			...creditsUsed(entries, trial !== undefined),
			...teller.failures(),
			...teller.skipped(),
			...notes,
			...problems,
		];
		const isWorth = entries.some(({ outcome }) =>
			['unknown', 'invalid'].includes(outcome?.status ?? ''),
		);
		return {
			message: lines.join(' '),
			type: isWorth || problems.length > 0 ? 'warning' : 'info',
		};
	},
};

/** The credits that the service named. A message of which it named none, or may have, makes them a part. */
function creditsUsed(entries: readonly Entry[], isTrial: boolean): string[] {
	const receipts = entries.flatMap(({ outcome }) =>
		outcome?.status === 'done' ? [outcome.value as IDataObject] : [],
	);
	const credits = receipts.reduce((sum, receipt) => sum + Number(receipt.creditsUsed ?? 0), 0);
	const used = Number(credits.toFixed(4));
	const isPart =
		receipts.some((receipt) => receipt.creditsUsed === undefined) ||
		entries.some(({ outcome }) => outcome?.status === 'unknown');
	if (used === 0 && (isPart || isTrial)) return [];
	return [`${isPart ? 'At least ' : ''}${countOf(used, 'credit')} used.`];
}

function resultOf(
	entry: Entry,
	outcome: Parameters<Policy['jsonOf']>[1],
	teller: Teller,
): IDataObject {
	const who = teller.who(entry);
	if (outcome.status === 'done') return { status: 'sent', ...who, ...outcome.value };
	if (outcome.status === 'skipped') return { status: 'skipped', ...who, reason: outcome.reason };
	if (outcome.status === 'previewed') return { status: 'wouldSend', ...who, ...outcome.fields };
	const { status } = outcome;
	const { message: reason, advice } = teller.tell(outcome, entry);
	const { code } = isFailure(outcome) ? outcome : {};
	return {
		status,
		...who,
		reason,
		...(advice ? { description: advice } : {}),
		...(code === undefined ? {} : { code }),
		...(isFailure(outcome) ? detailsOf(outcome) : {}),
	};
}

function inputOf({ item: { json } }: Entry, { run: { columns } }: Teller): IDataObject {
	return without(json, ofEarlierResult(json, columns)) as IDataObject;
}

function mostInARow({ general, transient, status }: Failed): number {
	if (general && !transient) return 1;
	return status === 'unknown' ? UNKNOWN_IN_A_ROW : SUSPICIOUS_IN_A_ROW;
}

/** What failed in an earlier try, or did not leave for a reason of its own, says nothing about the service. */
function isAboutService({ status, general, isEarlier }: Failed): boolean {
	return isEarlier !== true && (status !== 'notSent' || general);
}

/** The service itself refused this one item, with a code: it works, and says nothing of the others. */
function saysNo({ status, code, general }: Failed): boolean {
	return status === 'refused' && code !== undefined && !general;
}
