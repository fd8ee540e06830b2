/** Shared by the tests of SMS Stats. */
import type { IDataObject } from 'n8n-workflow';
import type { Simulator } from '../../simulator/index.mts';
import { succeeded, type RunResult } from '../harness.mts';
import { runnerOf, type Run } from '../resources/support.mts';

export { succeeded } from '../harness.mts';
export { everythingOf, hurry, jsonOf, wire } from '../sms/support.mts';

export const NUMBER = '+33639981234';
export const CATEGORY = 'orders';

/** Runs an operation of SMS Stats. With a number, a status is looked up by it. */
export const smsStats = async (
	sim: Simulator,
	...[operation, parameters = {}, ...more]: Parameters<Run>
): Promise<RunResult> => {
	const by = 'number' in parameters ? { lookupBy: 'number' } : {};
	return await runnerOf('SmsStats', sim)(operation, { ...by, ...parameters }, ...more);
};

/** A message that the service has accepted, to a number in E.164. @returns its snapshot ID */
export function sent(sim: Simulator, number = NUMBER, category = CATEGORY): string {
	const { snapshotId } = sim.service.accept({
		kind: 'notification',
		number,
		text: 'Bonjour',
		category,
	});
	return snapshotId;
}

/** The service answers every request with this body. */
export function answerWith(sim: Simulator, body: unknown): void {
	sim.faults.add({ times: Infinity, do: { kind: 'json', body } });
}

/** The one item of an operation. @throws where there is an error, or another number of items */
export function onlyItem(result: RunResult): IDataObject {
	const { items } = succeeded(result);
	if (items.length !== 1) throw new Error(`${items.length} items`);
	return items[0].json;
}
