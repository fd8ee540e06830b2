import { readDryRun } from '../fields/dryRun';
import { readTestNumber, readTestRuns, type Account } from '../http/credential';
import type { Options } from '../service/choices';
import { canonicalNumber } from '../service/number';
import type { DryRun, Entry, OperationDefinition } from './operation';
import { identityOf } from './receipts';

/**
 * @returns undefined for a run that sends for real, as every run in production without *Dry Run* does
 * @throws InputError where the choice can't be read
 */
export function readDryRunOf(
	{ kind }: Pick<OperationDefinition, 'kind'>,
	{ options, account, isManual }: { options: Options; account: Account; isManual: boolean },
): DryRun | undefined {
	if (kind !== 'send') return undefined;
	if (readDryRun(options)) return { isTest: false };
	const choice = readTestRuns(account, isManual);
	if (choice === 'send') return undefined;
	return choice === 'preview'
		? { isTest: true }
		: { isTest: true, testNumber: readTestNumber(account) };
}

/** Marks open entries as shown only, and readdresses the first one to the test number. */
export function applyDryRun(
	{ testNumber }: DryRun,
	{ redirect, kind }: Pick<OperationDefinition, 'redirect' | 'kind'>,
	entries: readonly Entry[],
): void {
	let isFirst = testNumber !== undefined;
	for (const entry of entries) {
		const { prepared } = entry;
		if (prepared === undefined || entry.outcome !== undefined) continue;
		if (isFirst) {
			const { target = [], content, extra, subject } = prepared;
			const redirected = redirect!(prepared, testNumber!);
			const wouldSendTo = extra?.number ?? subject;
			entry.prepared = { ...redirected, extra: { ...redirected.extra, wouldSendTo } };
			// Another message: no receipt of it says anything of the item itself.
			const test = { target: ['test', testNumber, ...target], content };
			entry.identity = identityOf(test, kind);
		} else entry.showsOnly = true;
		isFirst = false;
	}
}

/** A line above the results: whether anything was sent. */
export function describeDryRun({ isTest, testNumber }: DryRun): string {
	if (!isTest) return 'Dry run: nothing was sent.';
	const what =
		testNumber === undefined
			? 'nothing was sent'
			: `nobody but the test number ${canonicalNumber(testNumber)} was texted`;
	return `Test run: ${what}, as 'Test Runs' in the credential says. Published workflows send for real.`;
}
