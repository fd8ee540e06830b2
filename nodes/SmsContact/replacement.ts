import type { IDataObject } from 'n8n-workflow';
import type { Failure } from '../shared/http/failure';
import { eachSpelling } from '../shared/run/bySpelling';
import { whenGone } from '../shared/run/changes';
import type { Attempted, Failed } from '../shared/run/outcome';
import type { FindOut, Place } from '../shared/run/Place';
import { isMissing, type Fields } from '../shared/service/answers';
import {
	ADD_CONTACT,
	CONTACTS,
	DELETE_BY_ID,
	DELETE_BY_NUMBER,
	readContact,
	type Contact,
} from '../shared/service/contacts';
import { countOf } from '../shared/service/countOf';
import { meaningOf } from '../shared/service/errorCodes';
import { canonicalNumber } from '../shared/service/number';
import { readCreated, readNothing, type Collection } from '../shared/service/records';
import { byNumber } from './difference';

/** What the replacements of a run have in common. */
export class Course {
	/** A contact was deleted and could not be added again: no other is deleted in order to be replaced. */
	isLosing = false;
	private reading?: Promise<unknown>;
	private next?: Promise<unknown>;

	/** Reads the list, as it is from now on. Those who ask while it is being read share the next reading. */
	async look<T>(read: () => Promise<T>): Promise<T> {
		const begin = async () => {
			this.next = undefined;
			this.reading = read().finally(() => (this.reading = undefined));
			return (await this.reading) as T;
		};
		if (this.reading === undefined) return await begin();
		return (await (this.next ??= this.reading.then(begin, begin))) as T;
	}
}

/** A contact that was added. */
interface Added {
	id?: string;
	/** Without some of its values. */
	isCut?: boolean;
}

/** The steps of a replacement. Each repeats its requests. */
export interface Steps<T> {
	/**
	 * Deletes what the list has of the number.
	 *
	 * @param begun hears that a contact was deleted, or may have been
	 * @param lost hears that the answer to a deletion was lost
	 * @returns what ends it
	 */
	remove: (
		place: Place,
		hears: { begun: () => void; lost: () => void },
	) => Promise<Failed | undefined>;
	/** How many contacts are deleted. */
	count: number;
	/**
	 * Adds the new one.
	 *
	 * @param findOut whether it was added, where the answer was lost
	 */
	add: (place: Place, findOut: FindOut<T>) => Promise<Attempted<T>>;
	/** Adds the previous one, where it is known; `isCut` where that takes leaving out values. */
	putBack?: (place: Place, findOut: FindOut<Added>) => Promise<Attempted<Added>>;
	/** What the addition gives where the list has these contacts; undefined where it hasn't added them. */
	addedIn: (contacts: readonly Contact[]) => T | undefined;
	/** The same of the previous one. */
	backIn?: (contacts: readonly Contact[]) => Added | undefined;
}

/**
 * Deletes a contact and adds it with other values: the service has no request that changes one (interface
 * document 4.5). From the first deletion, the requests go on although the run is stopped, until the contact is
 * back, or can't be.
 */
export class Replacement {
	/** Somebody else has added the number after it was deleted. */
	isSomebodys = false;
	hasBegun: boolean;
	fate: keyof typeof FATES = 'open';
	/** A deletion was made whose answer was lost. */
	private wasLost = false;
	/** Whether it has to be finished, for its place at the gate. */
	readonly finishes = () => this.hasBegun;

	/** @param hasBegun an earlier try has deleted the contact */
	constructor(
		private readonly of: { listId: string; identifier: string },
		private readonly course: Course,
		hasBegun = false,
	) {
		this.hasBegun = hasBegun;
	}

	async make<T>(place: Place, steps: Steps<T>): Promise<Attempted<T>> {
		if (this.course.isLosing && !this.hasBegun) return { ...LOSING };
		this.isSomebodys = false;
		const failure = await steps.remove(place, {
			begun: () => (this.hasBegun = true),
			lost: () => (this.hasBegun = this.wasLost = true),
		});
		if (failure !== undefined && !(await this.isGone(place, steps.count))) return failure;
		const added = await steps.add(place, this.findOut(place, steps.addedIn));
		if ('value' in added || this.isAnothers(added) || !this.hasBegun) return added;
		if (added.status !== 'unknown') {
			this.fate = 'out';
			// A value that the service refuses must not take anybody off the list.
			if (steps.putBack !== undefined) {
				const findOut = this.findOut(place, steps.backIn);
				const back = await steps.putBack(place, findOut);
				if ('value' in back && back.value.isCut === true) this.fate = 'cut';
				else if ('value' in back || this.isAnothers(back)) this.fate = 'kept';
				else if (back.status === 'unknown') this.fate = 'open';
				this.isSomebodys = false;
			}
		}
		this.course.isLosing ||= this.fate !== 'kept';
		return added;
	}

	/** Whether an addition has failed because somebody else has added the number. */
	isAnothers(failure: Failure): boolean {
		return this.isSomebodys || isThere(failure);
	}

	/** Whether the number isn't in the list any more, after a deletion that failed. */
	private async isGone(place: Place, count: number): Promise<boolean> {
		if (!this.wasLost) {
			this.fate = 'partly';
			return false;
		}
		const left = await this.look(place);
		if (!('value' in left)) this.course.isLosing = true;
		else if (left.value.length === 0) return true;
		else this.fate = left.value.length < count ? 'partly' : 'kept';
		return false;
	}

	/**
	 * Where it is unknown whether the number was added, the list tells, and it is added once more if it isn't
	 * there. Where nothing was deleted, what is unknown does no harm, and is left at that.
	 */
	private findOut<T>(
		place: Place,
		foundIn: (contacts: readonly Contact[]) => T | undefined = () => undefined,
	): FindOut<T> {
		return async (lost) => {
			if (!this.hasBegun) return lost;
			const found = await this.look(place);
			if (!('value' in found)) return { ...lost, transient: false };
			const contacts = found.value;
			if (contacts.length === 0) return { ...lost, status: 'notSent', transient: true };
			const there = foundIn(contacts);
			if (there !== undefined) return { value: there };
			this.isSomebodys = true;
			const isAmong = contacts.some((contact) => foundIn([contact]) !== undefined);
			return { ...lost, status: isAmong ? lost.status : 'notSent', transient: false };
		};
	}

	/** The contacts that the list has of the number now. */
	async look(place: Place): Promise<Attempted<Contact[]>> {
		const { listId, identifier } = this.of;
		const request = { endpoint: CONTACTS, path: { listId } };
		const once = async () => {
			const result = await place.requestLarge(request, readContact);
			// One odd answer must not leave anybody out, and reading does no harm when it is repeated.
			return 'value' in result ? result : { ...result, transient: true };
		};
		const result = await this.course.look(async () => await place.repeat(once));
		if (!('value' in result)) return result;
		const unread = unreadOf(result.value);
		if (unread !== undefined) return unread;
		return { value: await ofNumber(result.value.records, identifier) };
	}
}

const LOSING: Failure = {
	status: 'notSent',
	message: 'Left as it is, because an earlier contact was deleted and could not be added again',
	advice: 'Run it again when the service adds contacts.',
	transient: false,
	general: false,
};

/** What became of a contact whose replacement failed. */
const FATES = {
	kept: () => 'The contact keeps its previous values.',
	cut: () =>
		'The contact is in the list with its previous values, without those of columns that somebody has deleted meanwhile.',
	partly: () => 'Of several contacts with this number, at least one is still in the list.',
	out: (who: string) =>
		`The contact was deleted in order to be replaced, and is not in the list now. ${who} adds it.`,
	open: (who: string) =>
		`The contact was deleted in order to be replaced, and may not be in the list now. ${who} adds it then.`,
} as const;

/**
 * What the user has to know of a contact whose replacement failed.
 *
 * @param who adds it: "The next run"
 */
export function tellFate({ fate }: Replacement, who: string): string {
	return FATES[fate](who);
}

function isThere(failure: Failure): boolean {
	return meaningOf(failure) === 'alreadyExists';
}

/** Why a list says nothing of who isn't in it: some of its contacts may be anybody. */
export function unreadOf({ leftOut }: Collection<unknown>): Failed | undefined {
	if (leftOut === 0) return undefined;
	return {
		status: 'notSent',
		message: `${countOf(leftOut, 'contact')} of the list can't be read`,
		advice: 'The list is left as it is, because somebody could be added twice. Please report this to the maintainers of the node.',
		transient: false,
		general: true,
	};
}

/** The contacts with this number, whatever spelling of it the service has stored. */
export async function ofNumber(
	contacts: readonly Contact[],
	identifier: string,
): Promise<Contact[]> {
	return [...((await byNumber(contacts)).get(canonicalNumber(identifier)) ?? [])];
}

/** Deletes a contact, and once more while its answer is lost. What isn't there any more counts as deleted. */
export async function deleteIt(
	listId: string,
	contact: Contact,
	place: Place,
	onLost: () => void = () => {},
): Promise<Attempted> {
	const once = async (): Promise<Attempted> => {
		const result = await deleteOne(listId, contact, place);
		if ('value' in result || result.status !== 'unknown') return result;
		onLost();
		// It does no harm when it is repeated, and one that is left open may have taken somebody off the list.
		return { ...result, transient: true };
	};
	return await place.repeat(once, { comesTo: whenGone() });
}

/** By its ID, so that nobody else is: a number may have been added anew meanwhile. */
async function deleteOne(
	listId: string,
	{ id, identifier = '' }: Contact,
	place: Place,
): Promise<Attempted> {
	if (id !== undefined) {
		const path = { listId, contactId: id };
		return await place.request({ endpoint: DELETE_BY_ID, path }, readNothing);
	}
	const request = { endpoint: DELETE_BY_NUMBER.contacts, path: { listId } };
	const search = eachSpelling(identifier, Object.values(DELETE_BY_NUMBER));
	return await search(
		async (address) => await place.request({ ...request, ...address }, readNothing),
	);
}

/** Adds a contact; again after a failure that may pass, where it is known what became of it. */
export async function addSurely(
	place: Place,
	{ listId, identifier, attributes }: { listId: string; identifier: string; attributes: Fields },
	findOut?: FindOut<Added>,
): Promise<Attempted<Added>> {
	const values = Object.entries(attributes)
		.filter(([, value]) => !isMissing(value))
		.map(([id, value]) => [id, String(value)]);
	const body = {
		identifier,
		...(values.length === 0 ? {} : { attributes: Object.fromEntries(values) as IDataObject }),
	};
	const request = { endpoint: ADD_CONTACT, path: { listId }, body };
	const once = async (): Promise<Attempted<Added>> => {
		const added = await place.request(request, readCreated);
		if ('value' in added || added.status !== 'unknown' || !findOut) return added;
		return await findOut(added);
	};
	return await place.repeat(once, { isSending: true });
}
