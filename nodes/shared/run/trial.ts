import type { IDataObject } from 'n8n-workflow';
import { readDryRun } from '../fields/dryRun';
import { readTestNumber } from '../http/credential';
import { readChoice } from '../service/choices';
import { countOf } from '../service/countOf';
import { identityOf, type Entry, type Open, type Prepared } from './entries';
import type { StagedRun } from './operation';
import type { Recovery } from './recovery';

/** What stands in front of each result of a test run. */
const NOBODY_TEXTED = 'Nobody real was texted';

/** The same to another number. */
type Redirect<P> = (prepared: P, number: string) => P;

/** A run in which nothing is sent, or only one message, to the user's own phone. */
export interface Trial<P extends Prepared> {
	/** It was started in the editor, and touches nothing that is kept. */
	isTest: boolean;
	/** Rewrites the items that would be carried out. */
	rewrite(open: ReadonlyArray<Open<P>>, recovery: Recovery): void;
	/** What the user should know, when the run is over. */
	describe(entries: ReadonlyArray<Entry<P>>): string;
}

/**
 * What becomes of messages of a run: 'send' in production, and where the user has said so.
 *
 * @throws InputError for a value that only an expression can give
 */
export function readTestRuns({
	isManual,
	account,
}: Pick<StagedRun, 'isManual' | 'account'>): 'send' | 'testNumber' | 'preview' {
	if (!isManual) return 'send';
	const choices = ['send', 'testNumber', 'preview'] as const;
	return readChoice(account.manualRuns ?? 'send', choices, 'Test Runs');
}

/**
 * A dry run, or a run that was started in the editor where the credential doesn't let it send for real.
 *
 * @returns undefined for a run that sends for real, as every run in production does
 * @throws InputError where it can't be told what the user wants
 */
export function trialOf<P extends Prepared>(
	{ redirect }: { redirect?: Redirect<P> },
	{ isManual, account, options }: Omit<StagedRun, 'looksOnly' | 'isTest'>,
): Trial<P> | undefined {
	if (redirect === undefined) return undefined;
	if (readDryRun(options)) {
		return {
			isTest: false,
			rewrite: (open) => open.forEach((entry) => showOnly(entry)),
			describe: describeDryRun,
		};
	}
	const choice = readTestRuns({ isManual, account });
	if (choice === 'send') return undefined;
	const number = choice === 'testNumber' ? readTestNumber(account) : undefined;
	return {
		isTest: true,
		rewrite(open, recovery) {
			for (const [position, entry] of open.entries()) {
				const { subject, extra } = entry.prepared;
				const test = {
					testRun: NOBODY_TEXTED,
					test: true,
					wouldSendTo: extra?.number ?? subject,
				};
				if (number === undefined || position > 0) showOnly(entry, test);
				else redirectTo(entry, number, redirect, recovery, test);
			}
		},
		describe(entries) {
			const sent = entries.filter(
				({ outcome, showsOnly }) => !showsOnly && outcome?.status === 'done',
			).length;
			const shown = entries.filter(({ outcome }) => outcome?.status === 'previewed').length;
			const parts = [
				...(sent === 0 ? [] : [`${sent} sent to the test number ${number ?? ''}`]),
				...(shown === 0 ? [] : [`${shown} not sent`]),
			];
			const counts = parts.length === 0 ? '' : ` ${parts.join(', ')}.`;
			return `Test run: nobody real was texted.${counts} This is set in the credential under 'Test Runs'. Published workflows send for real.`;
		},
	};
}

/** It is another message now: no receipt of it says anything of the item itself. */
function redirectTo<P extends Prepared>(
	entry: Open<P>,
	number: string,
	redirect: Redirect<P>,
	recovery: Recovery,
	test: IDataObject,
): void {
	const { target = [], content = [] } = entry.prepared;
	const redirected = redirect(entry.prepared, number);
	entry.prepared = { ...redirected, extra: { ...redirected.extra, ...test } };
	entry.identity = identityOf({ target: ['test', number], content: [...target, ...content] });
	recovery.ask(entry);
}

/** @param shown beside its preview */
function showOnly<P extends Prepared>(entry: Open<P>, shown: IDataObject = {}): void {
	const { prepared } = entry;
	entry.showsOnly = true;
	entry.prepared = { ...prepared, preview: () => ({ ...shown, ...prepared.preview?.() }) };
}

function describeDryRun(entries: readonly Entry[]): string {
	let messages = 0;
	let segments = 0;
	for (const { outcome } of entries) {
		if (outcome?.status !== 'previewed') continue;
		messages++;
		segments += Number(outcome.fields.segments ?? 0);
	}
	return `Nothing was sent: dry run. ${countOf(messages, 'message')}, ${countOf(segments, 'segment')}.`;
}
