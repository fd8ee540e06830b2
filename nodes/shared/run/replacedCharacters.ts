import type { BeforeFirst, Prepared } from './operation';
import type { Replacement } from '../service/characters';
import { countOf } from '../service/countOf';
import { describeReplacements } from '../service/message';

/** A message of which some characters can have been replaced. */
interface Message extends Prepared {
	replacements: readonly Replacement[];
}

/** Says above the results which characters were replaced, as each of them does of its own. */
export function replacedCharacters({
	candidates,
	client,
}: Pick<BeforeFirst<Message>, 'candidates' | 'client'>): void {
	const note = describeReplaced(candidates.map(({ prepared }) => prepared.replacements));
	if (note !== undefined) client.note(note);
}

/**
 * @param replacements of each message
 * @returns undefined where nothing was replaced
 */
function describeReplaced(replacements: ReadonlyArray<readonly Replacement[]>): string | undefined {
	const messages = replacements.filter((each) => each.length > 0).length;
	if (messages === 0) return undefined;
	return `Characters that the service doesn't accept were replaced in ${countOf(messages, 'message')}: ${describeReplacements(replacements.flat())}.`;
}
