import type { Stage } from '../shared/run/policy';
import type { KeyedMessage } from './onceKeys';

/** Of items with the same once key, only the first goes. */
export function repeatedKeys(): Stage<KeyedMessage> {
	const firstWith = new Map<string, number>();
	return {
		admit({ index, prepared: { onceKey } }) {
			if (onceKey === undefined) return undefined;
			const first = firstWith.get(onceKey);
			if (first !== undefined) {
				return { outcome: { status: 'skipped', reason: `Same key as item ${first}` } };
			}
			firstWith.set(onceKey, index);
			return undefined;
		},
	};
}
