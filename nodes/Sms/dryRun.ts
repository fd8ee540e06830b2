import type { StagedRun } from '../shared/run/operation';
import type { Stage } from '../shared/run/policy';
import { readSwitch } from '../shared/service/choices';
import { countOf } from '../shared/service/countOf';

/** @throws InputError */
export function isDryRun({ options }: Pick<StagedRun, 'options'>): boolean {
	return readSwitch(options, 'dryRun', 'Dry Run');
}

/** Shows what has passed all stages before, instead of sending it. */
export function previews(): Stage {
	let messages = 0;
	let segments = 0;
	return {
		admit({ prepared }) {
			const fields = prepared.preview?.() ?? {};
			messages++;
			segments += Number(fields.segments ?? 0);
			return { outcome: { status: 'previewed', fields } };
		},
		end: async () =>
			await Promise.resolve(
				`Dry run, nothing was sent: it would be ${countOf(messages, 'message')} of ${countOf(segments, 'segment')} in all.`,
			),
	};
}
