import type { INodeProperties } from 'n8n-workflow';
import { readSwitch, type Options } from '../service/choices';

const DRY_RUN = 'Dry Run';

/** For every operation that sends messages. */
export const dryRun: INodeProperties = {
	displayName: DRY_RUN,
	name: 'dryRun',
	type: 'boolean',
	noDataExpression: true,
	// Whoever adds it wants it.
	default: true,
	description:
		'Whether to check everything but send nothing. The results say what would happen to each message.',
};

/** @throws InputError */
export function readDryRun(options: Options): boolean {
	return readSwitch(options, dryRun.name, DRY_RUN);
}
