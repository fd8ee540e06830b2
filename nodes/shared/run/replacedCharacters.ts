import type { Replacement } from '../service/characters';
import { countOf } from '../service/countOf';
import { describeReplacements } from '../service/message';
import type { Client } from './client';
import type { OpenEntry, Prepared } from './operation';

/** Says above the results which characters were replaced, as each of them does of its own. */
export function noteReplacements(
	entries: ReadonlyArray<OpenEntry<Prepared & { replacements: readonly Replacement[] }>>,
	client: Client,
): void {
	const replaced = entries
		.map(({ prepared }) => prepared.replacements)
		.filter((replacements) => replacements.length > 0);
	if (replaced.length === 0) return;
	client.note(
		`Characters that the service doesn't accept were replaced in ${countOf(replaced.length, 'message')}: ${describeReplacements(replaced.flat())}.`,
	);
}
