/** The service of random histories: what its accounts hold, in an order of its own, and what fails. */
import type { IDataObject } from 'n8n-workflow';

export const CATEGORIES = ['a', 'b'];
export const NUMBERS = [0, 1, 2, 3, 4].map((digit) => `+3363998000${digit}`);

/** A message to a number, in its state. */
export interface Message {
	id: number;
	state: string;
	/** Counts the changes: the same state can be passed through twice. */
	passage: number;
	/** Not every service dates its states (interface document 2.7 only names the field). */
	stateDate?: number;
}

/** One account of the service. */
export class Service {
	/** By event and category. */
	readonly collections = new Map<string, string[]>();
	readonly counters = new Map<string, { sent: number; delivered: number }>();
	credits = 120;
	readonly statuses = new Map<string, Message>();
	/** Faults of the next poll. */
	failing: string[] = [];
	blank = false;
	/** The part of each collection that the service doesn't show for a while. */
	hidden?: 'first' | 'most' | 'all';
	shuffle = 0;
	/** Looks of this poll, in order: an answer came, or not. */
	asked: Array<{ number: string; failed: boolean }> = [];
	/** Where the service is. */
	readonly address: string;
	/** Added to the IDs that a history draws: accounts have some in common, and others not. */
	readonly offset: number;
	private passages = 0;

	constructor(address: string, offset: number) {
		this.address = address;
		this.offset = offset;
	}

	/** A poll begins. */
	begin(): void {
		this.asked = [];
	}

	/** The next poll is as any other. */
	calm(): void {
		this.failing = [];
		this.blank = false;
		this.shuffle = 0;
	}

	add(event: string, category: string, drawn: readonly number[]): void {
		this.setEntries(event, category, drawn, true);
	}

	remove(event: string, category: string, drawn: readonly number[]): void {
		this.setEntries(event, category, drawn, false);
	}

	private setEntries(event: string, category: string, drawn: readonly number[], add: boolean) {
		const key = `${event} ${category}`;
		const ids = drawn.map(
			(id) => `${event.charCodeAt(0)}${category.charCodeAt(0)}${id + this.offset}`,
		);
		const rest = (this.collections.get(key) ?? []).filter((id) => !ids.includes(id));
		this.collections.set(key, add ? [...rest, ...ids] : rest);
	}

	count(category: string, counter: 'sent' | 'delivered', by: number): void {
		const counters = this.counters.get(category) ?? { sent: 0, delivered: 0 };
		this.counters.set(category, { ...counters, [counter]: counters[counter] + by });
	}

	/** A message to a number is in a state now. Every other number has states without a date. */
	move(number: number, message: number, state: string): void {
		const before = this.statuses.get(NUMBERS[number]);
		const id = number * 100 + message + this.offset;
		if (before?.id === id && before.state === state) return;
		const passage = ++this.passages;
		const stateDate = 1_387_808_142_057 + this.offset * 1e9 + passage;
		const date = number % 2 === 0 ? { stateDate } : {};
		this.statuses.set(NUMBERS[number], { id, state, passage, ...date });
	}

	entries(event: string, place: string | undefined): string[] {
		const key = (name: string) => `${event} ${name}`;
		const held =
			place === undefined
				? CATEGORIES.flatMap((name) => this.collections.get(key(name)) ?? [])
				: (this.collections.get(key(place)) ?? []);
		// An entry of the account is in one category only, or it would be there twice.
		const entries = [...new Set(held)];
		if (this.blank) return [];
		if (this.hidden === 'all') return [];
		if (this.hidden === 'first') entries.shift();
		if (this.hidden === 'most') entries.splice(1);
		// Another order each time, and an entry twice.
		const turned = entries.map((_, at) => entries[(at + this.shuffle) % entries.length]);
		if (this.shuffle % 2 === 1) turned.reverse();
		return this.shuffle > 3 && turned.length > 0 ? [...turned, turned[0]] : turned;
	}

	fails(address: string): boolean {
		return this.failing.includes(address);
	}

	answer(url: string, qs: IDataObject): { statusCode: number; body: unknown } {
		const place = qs.category as string | undefined;
		const path = url.replace(/^\/v2\//, '');
		const ok = (body: unknown) => ({ statusCode: 200, body });
		const number = qs.identifier as string | undefined;
		const failed = this.fails(addressOf(path, place)) || this.fails(`status?${number}`);
		// Where it finds nothing, the number is asked for in its national form, too.
		if (number?.startsWith('+')) this.asked.push({ number, failed });
		if (failed) return { statusCode: 503, body: '<html>' };
		if (path === 'messages/replies') {
			return ok(
				this.entries('reply', place).map((id) => ({
					id,
					identifier: NUMBERS[0],
					message: `text of ${id}`,
				})),
			);
		}
		if (path.endsWith('/default/contacts')) {
			const event = path.startsWith('unsubscribers') ? 'unsubscribed' : 'bounced';
			return ok(
				this.entries(event, undefined).map((id) => ({
					id,
					identifier: numberOf(id),
					deleted: false,
				})),
			);
		}
		if (path === 'messages/blacklists') {
			const list = (event: string) => {
				const identifiers = this.entries(event, place).map(numberOf);
				return { number: identifiers.length, identifiers };
			};
			return ok({ bounces: list('bounced'), unsubscribers: list('unsubscribed') });
		}
		if (path === 'messages/stats')
			return ok(this.counters.get(place!) ?? { sent: 0, delivered: 0 });
		if (path === 'account/stats') return ok(this.account());
		const status = this.statuses.get(number!);
		if (!status)
			return {
				statusCode: 404,
				body: { code: 16, error: 'No message found for this query' },
			};
		const { id, state, stateDate } = status;
		return ok({ id, state, ...(stateDate === undefined ? {} : { stateDate }), test: false });
	}

	account(): { sent: number; credits: number } {
		const sent = [...this.counters.values()].reduce((sum, counters) => sum + counters.sent, 0);
		return { sent, credits: this.credits };
	}
}

/** Addresses that can be made to fail, by their start. */
export function addressOf(path: string, place: string | undefined): string {
	if (path === 'account/stats') return 'account';
	const last = path.endsWith('/default/contacts') ? path : path.replace('messages/', '');
	return place === undefined ? last : `${last}?${place}`;
}

export const numberOf = (id: string) => `06${id.padStart(8, '0')}`;
