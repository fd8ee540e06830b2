import type { IDataObject } from 'n8n-workflow';
import type { Failure } from '../shared/http/failure';
import { StepFailed, type Attempted, type Failed } from '../shared/run/outcome';
import type { FindOut, Place } from '../shared/run/Place';
import { isMissing, without, type Fields } from '../shared/service/answers';
import { CONTACTS, readContact, type Contact } from '../shared/service/contacts';
import { isAlreadyThere } from '../shared/service/errorCodes';
import type { Column } from '../shared/service/lists';
import { canonicalNumber } from '../shared/service/number';
import { addSurely, columnsOf, deleteIt, unreadOf, type Added } from './contactRequests';
import { byNumber, differenceOf } from './difference';

/** What the replacements of a run have in common. */
export class Course {
	/** A contact was deleted and could not be added again: no other is deleted in order to be replaced. */
	isLosing = false;
	private readonly readings = new Map<
		string,
		{ now?: Promise<unknown>; next?: Promise<unknown> }
	>();

	/**
	 * Reads a list, as it is from now on. Those who ask while it is being read share the next reading.
	 *
	 * @param key says which list, and who shares it
	 */
	async look<T>(key: string, read: () => Promise<T>): Promise<T> {
		const reading = this.readings.get(key) ?? {};
		this.readings.set(key, reading);
		const begin = async () => {
			reading.next = undefined;
			reading.now = read().finally(() => (reading.now = undefined));
			return (await reading.now) as T;
		};
		if (reading.now === undefined) return await begin();
		return (await (reading.next ??= reading.now.then(begin, begin))) as T;
	}
}

/** The steps of a replacement. Each repeats its requests. */
export interface Steps<T> {
	/** Deletes what the list has of the number. */
	remove: Removal;
	/** How many contacts are deleted in order to be replaced; none where one is only added. */
	count: number;
	/**
	 * Adds the new one.
	 *
	 * @param findOut whether it was added, where the answer was lost
	 */
	add: (place: Place, findOut: FindOut<Added>) => Promise<Attempted<T>>;
	/** What it has then. */
	attributes: Fields;
	/** What is added instead where the service takes no such contact: the previous one, where it is known. */
	previous?: Pick<Contact, 'identifier' | 'attributes'>;
	/** Columns of the list. */
	columns: readonly Column[];
	timeZone: string;
}

/**
 * Deletes contacts.
 *
 * @param hears `begun`: that one was deleted, or may have been; `lost`: that the answer to a deletion was lost
 * @returns what ends it
 */
type Removal = (
	place: Place,
	hears: { begun: () => void; lost: () => void },
) => Promise<Failed | undefined>;

/** How often the contact is replaced once more, because somebody else has added it meanwhile. */
const MOST_ROUNDS = 3;

/**
 * Deletes a contact and adds it with other values: the service has no request that changes one (interface
 * document 4.5). From the first deletion, the requests go on although the run is stopped, until the contact is
 * back, or can't be.
 */
export class Replacement {
	private fate: keyof typeof FATES = 'open';
	/** Somebody else has added the number after it was deleted. */
	private isSomebodys = false;
	/** A deletion was made whose answer was lost. */
	private wasLost = false;
	/** Whether it has to be finished, for its place at the gate. */
	readonly finishes = () => this.hasBegun;

	/**
	 * @param hasBegun a contact was deleted, by an earlier try or by this one
	 * @param looks an earlier try may have added it: the list tells
	 */
	constructor(
		private readonly of: { listId: string; identifier: string },
		private readonly course: Course,
		public hasBegun = false,
		private readonly looks = false,
	) {}

	/**
	 * Takes the steps, and further ones where somebody else has added the number meanwhile.
	 *
	 * @param next the steps for what the list has by then; or the end, where nothing is left to do
	 */
	async make<T>(
		place: Place,
		first: Steps<T>,
		next: (contacts: readonly Contact[], place: Place) => Promise<Steps<T> | Attempted<T>>,
	): Promise<Attempted<T>> {
		const made = await this.takeAll(place, first, next);
		const isOut = !('value' in made) && this.hasBegun && !IN_THE_LIST.has(this.fate);
		this.course.isLosing ||= isOut;
		return made;
	}

	private async takeAll<T>(
		place: Place,
		first: Steps<T>,
		next: (contacts: readonly Contact[], place: Place) => Promise<Steps<T> | Attempted<T>>,
	): Promise<Attempted<T>> {
		let steps = first;
		for (let round = 0; ; round++) {
			const made = await this.take(place, steps);
			if ('value' in made || !this.isAnothers(made)) return made;
			this.fate = 'theirs';
			const found = round < MOST_ROUNDS ? await this.look(place) : made;
			if (!('value' in found)) return { ...made, advice: '' };
			if (found.value.length === 0) {
				this.fate = 'open';
				const advice =
					'The service says that it has this number, but the list does not show it.';
				return { ...made, advice };
			}
			const further = await next(found.value, place);
			if (!('remove' in further)) return further;
			steps = further;
		}
	}

	private async take<T>(place: Place, steps: Steps<T>): Promise<Attempted<T>> {
		if (this.course.isLosing && !this.hasBegun && steps.count > 0) return { ...LOSING };
		this.fate = 'open';
		this.isSomebodys = false;
		this.wasLost = false;
		const failure = await steps.remove(place, {
			begun: () => (this.hasBegun = true),
			lost: () => (this.hasBegun = this.wasLost = true),
		});
		if (failure !== undefined && !(await this.isGone(place, steps.count))) return failure;
		const added = await steps.add(place, this.findOut(place, steps, steps.attributes));
		if ('value' in added || this.isAnothers(added) || !this.hasBegun) return added;
		if (added.status !== 'unknown') await this.putBack(place, steps);
		return added;
	}

	/** A value that the service refuses must not take anybody off the list. */
	private async putBack(place: Place, steps: Steps<unknown>): Promise<void> {
		const { previous } = steps;
		const back = previous && (await this.addBack(place, steps, previous));
		if (back !== undefined && 'value' in back) {
			this.fate = back.value.isCut === true ? 'cut' : 'kept';
		} else if (back !== undefined && this.isAnothers(back)) {
			this.isSomebodys = false;
			this.fate = 'theirs';
		} else if (back?.status !== 'unknown') {
			// Not every service says in a way that is understood that it has the number.
			const left = await this.look(place);
			if ('value' in left && left.value.length === 0) this.fate = 'out';
			this.isSomebodys = 'value' in left && left.value.length > 0;
		}
	}

	/** With its previous values, but for columns that are gone: nobody is off the list because of those. */
	private async addBack(
		place: Place,
		steps: Steps<unknown>,
		{ identifier = this.of.identifier, attributes }: NonNullable<Steps<unknown>['previous']>,
	): Promise<Attempted<Added>> {
		const { listId } = this.of;
		const findOut = this.findOut(place, steps, attributes);
		const back = await addSurely(place, { listId, identifier, attributes }, findOut);
		if ('value' in back || back.status !== 'refused' || this.isAnothers(back)) return back;
		const columns = await columnsOf(listId, place);
		if (!('value' in columns)) return back;
		const known = new Set(columns.value.map(({ id }) => id));
		const gone = Object.keys(attributes).filter((id) => !known.has(id));
		if (gone.length === 0) return back;
		const rest = { listId, identifier, attributes: without(attributes, gone) };
		const cut = await addSurely(place, rest, findOut);
		return 'value' in cut ? { value: { ...cut.value, isCut: true } } : cut;
	}

	/** Whether an addition has failed because somebody else has added the number. */
	private isAnothers(failure: Failure): boolean {
		return this.isSomebodys || isAlreadyThere(failure);
	}

	/** Whether the number isn't in the list any more, after a deletion that failed. */
	private async isGone(place: Place, count: number): Promise<boolean> {
		if (!this.wasLost) {
			this.fate = 'partly';
			return false;
		}
		const left = await this.look(place);
		if (!('value' in left)) return false;
		if (left.value.length === 0) return true;
		this.fate = left.value.length < count ? 'partly' : 'kept';
		return false;
	}

	/**
	 * Where it is unknown whether the number was added, the list tells, and it is added once more if it isn't
	 * there. Where nothing was deleted, what is unknown does no harm, and is left at that.
	 *
	 * @param attributes what it was added with
	 */
	private findOut(
		place: Place,
		{ columns, timeZone }: Pick<Steps<unknown>, 'columns' | 'timeZone'>,
		attributes: Fields,
	): FindOut<Added> {
		const wanted = { columns, timeZone, attributes: asWanted(attributes) };
		const isIt = (contacts: readonly Contact[]) =>
			differenceOf(wanted, contacts).action === 'unchanged';
		return async (lost) => {
			if (!this.hasBegun && !this.looks) return lost;
			const found = await this.look(place);
			if (!('value' in found)) return { ...lost, transient: false };
			const contacts = found.value;
			if (contacts.length === 0) return { ...lost, status: 'notSent', transient: true };
			const [{ id }] = contacts;
			if (isIt(contacts)) return { value: id === undefined ? {} : { id } };
			this.isSomebodys = true;
			const isAmong = contacts.some((contact) => isIt([contact]));
			return { ...lost, status: isAmong ? lost.status : 'notSent', transient: false };
		};
	}

	/** The contacts that the list has of the number now. */
	private async look(place: Place): Promise<Attempted<Contact[]>> {
		const { listId, identifier } = this.of;
		const request = { endpoint: CONTACTS, path: { listId } };
		const once = async () => {
			const result = await place.requestLarge(request, readContact);
			// One odd answer must not leave anybody out, and reading does no harm when it is repeated.
			return 'value' in result ? result : { ...result, transient: true };
		};
		const read = async () => await place.repeat(once);
		// A stop holds back those who have begun no replacement, and none of the others with them.
		const result = await this.course.look(`${listId} ${this.hasBegun}`, read);
		if (!('value' in result)) return result;
		const unread = unreadOf(result.value);
		if (unread !== undefined) return unread;
		const found = await byNumber(result.value.records);
		return { value: found.get(canonicalNumber(identifier)) ?? [] };
	}

	/**
	 * A failure of it, with what the user has to know of the contact.
	 *
	 * @param who adds it: "The next run"
	 * @param values that it doesn't keep, as `tellValues` gives them
	 * @param details for the error
	 */
	explain(error: unknown, who: string, values: string, details: IDataObject): unknown {
		if (!this.hasBegun || !(error instanceof StepFailed)) return error;
		const { listId, identifier } = this.of;
		const advice = FATES[this.fate](who) + (this.fate === 'kept' ? '' : values);
		return error.after(advice, { number: canonicalNumber(identifier), listId, ...details });
	}
}

/**
 * The values as a sentence.
 *
 * @param had its beginning: "It had"
 * @param values by name
 */
export function tellValues(had: string, values: IDataObject): string {
	const named = Object.entries(values)
		.filter(([, value]) => !isMissing(value))
		.map(([name, value]) => `${name}: ${String(value)}`);
	return named.length === 0 ? '' : ` ${had} ${named.join('; ')}.`;
}

/** The values as what an item wants, of columns that are to be empty as well. */
function asWanted(attributes: Fields): Record<string, string> {
	return Object.fromEntries(Object.entries(attributes).map(([id, value]) => [id, String(value)]));
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
	theirs: () =>
		'The contact was deleted in order to be replaced. Somebody else has added it meanwhile: it is in the list with their values.',
	partly: () => 'Of several contacts with this number, at least one is still in the list.',
	out: (who: string) =>
		`The contact was deleted in order to be replaced, and is not in the list now. ${who} adds it.`,
	open: (who: string) =>
		`The contact was deleted in order to be replaced, and may not be in the list now. ${who} adds it then.`,
} as const;

/** What happens to one contact only: others can be replaced. */
const IN_THE_LIST: ReadonlySet<keyof typeof FATES> = new Set(['kept', 'theirs', 'partly']);

/** The steps that delete these contacts. */
export function deletionOf(listId: string, contacts: readonly Contact[]) {
	const remove: Removal = async (place, { begun, lost }) => {
		for (const contact of contacts) {
			const result = await deleteIt(listId, contact, place, lost);
			if (!('value' in result)) return result;
			begun();
		}
		return undefined;
	};
	return { remove, count: contacts.length };
}
