/** A service without sockets, for histories of thousands of requests: interface document 2.7 to 2.11. */
import type { IDataObject } from 'n8n-workflow';

type Reply = { id: string; identifier: string; message: string };
export type WorldAnswer = { statusCode: number; body: unknown };

export class World {
	replies = new Map<string, Reply[]>();
	blacklists = new Map<string, { bounces: string[]; unsubscribers: string[] }>();
	statistics = new Map<string, IDataObject>();
	account: IDataObject = { credits: 1_000, sent: 0 };
	statuses = new Map<string, { id: number; state: string; stateDate?: number }>();
	/** Answers in place of the usual ones, by the address or the number or snapshot that is asked for. */
	instead = new Map<string, WorldAnswer>();
	/** Addresses, numbers and snapshots that were asked for since it was last emptied. */
	asked: string[] = [];
	private count = 0;
	private readonly prefix: string;

	/** @param prefix of its IDs */
	constructor(prefix = 'id') {
		this.prefix = prefix;
	}

	reply(message: string, category = 'a'): Reply {
		const reply = { id: `${this.prefix} ${++this.count}`, identifier: '+33639980001', message };
		this.replies.set(category, [...(this.replies.get(category) ?? []), reply]);
		return reply;
	}

	readonly answer = (url: string, qs: IDataObject): WorldAnswer => {
		const target = (qs.identifier ?? qs.snapshotId) as string | undefined;
		const category = qs.category as string;
		const address = url.replace(/^\/v2\//, '');
		const name = target ?? (category === undefined ? address : `${address}?${category}`);
		this.asked.push(name);
		const instead = this.instead.get(name) ?? this.instead.get(address);
		if (instead) return instead;
		const ok = (body: unknown) => ({ statusCode: 200, body });
		if (address === 'account/stats') return ok(this.account);
		if (address === 'messages/replies') return ok(this.replies.get(category) ?? []);
		if (address === 'messages/stats') return ok(this.statistics.get(category) ?? { sent: 0 });
		if (address === 'messages/blacklists') {
			const { bounces = [], unsubscribers = [] } = this.blacklists.get(category) ?? {};
			const list = (identifiers: string[]) => ({ number: identifiers.length, identifiers });
			return ok({ bounces: list(bounces), unsubscribers: list(unsubscribers) });
		}
		const status = this.statuses.get(target!);
		return status
			? ok({ test: false, ...status })
			: { statusCode: 404, body: { code: 16, error: 'No message found' } };
	};
}
