import type { Source } from './events/Source';

/**
 * Categories of which the service has nothing, whichever of the chosen events is looked at: no message
 * was sent with them yet, or they are written in another way. The interface document shows no way to ask
 * which categories there are, so that nobody can tell the one from the other.
 *
 * @param looks what was looked at, with whether the service said that there is nothing
 */
export function emptyCategories(looks: Array<{ source: Source; isEmpty: boolean }>): string[] {
	const empty = new Set<string>();
	for (const { source, isEmpty } of looks) {
		if (isEmpty && source.category !== undefined) empty.add(source.category);
	}
	for (const { source, isEmpty } of looks) {
		if (!isEmpty && source.category !== undefined) empty.delete(source.category);
	}
	return [...empty];
}
