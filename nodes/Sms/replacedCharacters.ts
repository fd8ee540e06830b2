import type { BeforeFirst, Prepared } from '../shared/run/operation';
import type { Replacement } from '../shared/service/characters';
import { countOf } from '../shared/service/countOf';

/** A message of which some characters can have been replaced. */
interface Message extends Prepared {
	replacements: readonly Replacement[];
}

/** Characters that are named. */
const NAMED = 12;

/** Says above the results which characters were replaced, as each of them does of its own. */
export function replacedCharacters({
	candidates,
	requests,
}: Pick<BeforeFirst<Message>, 'candidates' | 'requests'>): void {
	const note = describeReplaced(candidates.map(({ prepared }) => prepared.replacements));
	if (note !== undefined) requests.note(note);
}

/**
 * @param replacements of each message
 * @returns undefined where nothing was replaced
 */
function describeReplaced(replacements: ReadonlyArray<readonly Replacement[]>): string | undefined {
	const messages = replacements.filter((each) => each.length > 0).length;
	if (messages === 0) return undefined;
	const instead = new Map(
		replacements.flat().map(({ character, replacement }) => [character, replacement]),
	);
	const named = [...instead]
		.slice(0, NAMED)
		.map(([from, to]) => (to === '' ? `${from} dropped` : `${from} → ${to}`));
	if (instead.size > NAMED) named.push(`and ${instead.size - NAMED} more`);
	return `Replaced in ${countOf(messages, 'message')}, since the service doesn't take them: ${named.join(', ')}.`;
}
