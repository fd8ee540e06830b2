import type { INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

/** Entries shown at once; the dropdown asks for more when it is scrolled to its end. */
const PAGE = 200;
/** Characters of an ID that tell it apart from others. */
const END = 4;

/** An entry of a dropdown. */
interface Listed {
	id: string;
	name: string;
	/** Its date, state and the like, beside its name. */
	marks?: readonly string[];
	description?: string;
}

/**
 * A page of a dropdown, sorted by name. The service answers all at once and can't filter, so that both
 * is done here. Those with one name are told apart by their marks and the end of their ID.
 *
 * @param filter what was typed: a part of a name, or an ID; upper case and accents don't matter
 * @param paginationToken how many were shown before
 */
export function pageByName(
	entries: readonly Listed[],
	filter?: string,
	paginationToken?: string,
): INodeListSearchResult {
	const wanted = plain(filter ?? '');
	const names = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
	const found = toldApart(entries)
		.filter(({ name, value }) => plain(name).includes(wanted) || value === filter?.trim())
		.sort((a, b) => names.compare(a.name, b.name));
	const start = Number(paginationToken ?? 0);
	const end = start + PAGE;
	return {
		results: found.slice(start, end),
		...(end < found.length ? { paginationToken: String(end) } : {}),
	};
}

function toldApart(entries: readonly Listed[]): INodeListSearchItems[] {
	const count = new Map<string, number>();
	for (const { name } of entries) count.set(plain(name), (count.get(plain(name)) ?? 0) + 1);
	return entries.map(({ id, name, marks = [], description }) => {
		const isAlone = count.get(plain(name)) === 1;
		const told = [...marks, endOf(id)].join(', ');
		return {
			name: isAlone ? name : `${name.trim()} (${told})`,
			value: id,
			...(description === undefined ? {} : { description }),
		};
	});
}

/**
 * A field of a result for the name of what was picked in a dropdown, without what tells it apart there from others of the
 * same name; none where an ID was given.
 *
 * @param locator the resource locator as the workflow stores it
 */
export function pickedField(field: string, locator: unknown, id: string): Record<string, string> {
	const { mode, value, cachedResultName: shown } = (locator ?? {}) as Record<string, unknown>;
	if (mode !== 'list' || value !== id || typeof shown !== 'string' || shown === '') return {};
	const start = shown.endsWith(`${endOf(id)})`) ? shown.lastIndexOf(' (') : -1;
	return { [field]: start > 0 ? shown.slice(0, start) : shown };
}

function endOf(id: string): string {
	return `…${id.slice(-END)}`;
}

function plain(text: string): string {
	return text.trim().toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
}
