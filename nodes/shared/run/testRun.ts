import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { readChoice, readSwitch } from '../service/choices';
import { InputError } from '../service/InputError';
import { parseNumber } from '../service/number';
import type { Prepared, StagedRun } from './operation';
import type { Stage } from './policy';

/** For the Options of every operation that sends. */
export const sendForReal: INodeProperties = {
	displayName: 'Send for Real in Test Runs',
	name: 'sendForReal',
	type: 'boolean',
	noDataExpression: true,
	default: false,
	description:
		"Whether to send to the real recipients from the editor too, whatever the credential says under 'Runs From the Editor'",
};

/**
 * A run that was started in the editor, where the credential doesn't let it send for real: the first
 * message goes to the test number, or none does, and the others are shown. Comes after the stages that
 * only look, and before those that write something down.
 *
 * @returns undefined for a run that sends for real, as every run in production does
 * @throws InputError where it can't be told what the user wants
 */
export function testRun(run: StagedRun): Stage | undefined {
	const { isManual, account, options, canRedirect } = run;
	const field = 'Runs From the Editor';
	if (!isManual || readSwitch(options, 'sendForReal', sendForReal.displayName)) return undefined;
	const choice = readChoice(
		account.manualRuns ?? 'send',
		['send', 'testNumber', 'preview'],
		field,
	);
	if (choice === 'send') return undefined;
	const testNumber = choice === 'testNumber' && canRedirect ? readTestNumber(account) : undefined;
	let sent = 0;
	let shown = 0;
	return {
		admit({ prepared }) {
			if (testNumber !== undefined && sent === 0) {
				sent++;
				return { trialTo: testNumber };
			}
			shown++;
			const fields = { ...testFields(prepared), ...prepared.preview?.() };
			return { outcome: { status: 'previewed', fields } };
		},
		end: async () => await Promise.resolve(describe(sent, shown, testNumber)),
	};
}

/** What a result says of a run that was only tried out. */
export function testFields({ subject }: Prepared): IDataObject {
	return { test: true, wouldSendTo: subject };
}

function readTestNumber({ testNumber, country }: StagedRun['account']): string {
	const field = 'Test Number';
	if (testNumber === undefined || testNumber === '') {
		throw new InputError(
			"'Test Number' of the credential is empty",
			"'Runs From the Editor' of the credential says to send to it. Put your own mobile number there.",
		);
	}
	return parseNumber(testNumber, { field, country, fixedLines: 'refuse' });
}

function describe(sent: number, shown: number, testNumber = ''): string {
	const parts = [...(sent === 0 ? [] : [`${sent} sent to ${testNumber}`]), `${shown} not sent`];
	return `Test run: ${parts.join(', ')}. That is what 'Runs From the Editor' of the credential says; active workflows send for real.`;
}
