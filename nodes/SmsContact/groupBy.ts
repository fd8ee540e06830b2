import { forEach } from '../shared/chunks';

/** The values by key, in their order. */
export async function groupBy<T>(
	values: Iterable<T>,
	keyOf: (value: T) => string,
): Promise<Map<string, T[]>> {
	const groups = new Map<string, T[]>();
	await forEach(values, (value) => {
		const key = keyOf(value);
		const group = groups.get(key);
		if (group === undefined) groups.set(key, [value]);
		else group.push(value);
	});
	return groups;
}
