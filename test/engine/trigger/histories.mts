/**
 * Plays random histories of a service and of an n8n, with one trigger or with two in a workflow, and
 * judges every poll by the model.
 */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { HISTORIES, playHistories } from '../../harness/histories.mts';
import { Host, passHours, type Keeping } from './harness.mts';
import { belongsTo, Model, type Memory } from './histories-model.mts';
import { moves, triggers, type Move, type Poll, type Reload } from './histories-moves.mts';
import type { Settings } from './histories-moves.mts';
import { Service } from './histories-service.mts';

/** A trigger, what it has to remember, and what n8n has of that. */
interface Player {
	host: Host;
	model: Model;
	settings: Settings;
	/** The memory that n8n has saved. */
	saved: Memory;
	/** The memory that n8n has while the workflow is active, and saves with the next event of any trigger. */
	written: Memory;
	/** Sources whose failure is in the log. */
	reported: string[];
	/** n8n's database may have an older state than was handed out. */
	isOlder: boolean;
	/** A poll has ended since n8n started. */
	hasPolled: boolean;
	/** Which event has an ID, and which ID it has. */
	eventOf: Map<unknown, string>;
	idOf: Map<string, unknown>;
}

type Kind = 'activation' | 'poll' | 'lost';

class Game {
	private readonly services = [
		new Service('https://one.example.com', 0),
		new Service('https://two.example.com', 0),
		new Service('https://one.example.com', 4),
	];
	private readonly keys = this.services.map((_, account) => `key-of-account-${account}-`);
	private account = 0;
	private readonly players: Player[] = [];
	/** The content of n8n's database at other times: static data, and what it stands for. */
	private readonly moments: Array<{ database: IDataObject; saved: Memory[] }> = [];
	/** Older versions of the workflow. */
	private readonly versions: Array<Array<{ name: string; settings: Settings }>> = [];
	private readonly keeping: Keeping;

	constructor(keeping: Keeping, all: readonly Settings[]) {
		this.keeping = keeping;
		for (const settings of all) {
			const host: Host = new Host({
				keeping,
				parameters: parametersOf(settings),
				answer: (url, qs) => this.service.answer(url, qs),
				beside: this.players[0]?.host,
			});
			this.players.push({
				host,
				settings,
				model: new Model(this.service, this.keys[this.account]),
				saved: undefined,
				written: undefined,
				reported: [],
				isOlder: false,
				hasPolled: false,
				eventOf: new Map(),
				idOf: new Map(),
			});
		}
		this.point(0, { isNewKey: false, isReplaced: false });
	}

	private get service(): Service {
		return this.services[this.account];
	}

	async play(all: readonly Move[]): Promise<void> {
		await this.activate();
		for (const one of all) {
			this.service.calm();
			await this.make(one);
		}
		// In the end, with a service that answers, nothing waits any more.
		await this.calmDown(2);
	}

	private async make(one: Move): Promise<void> {
		const { service } = this;
		switch (one.do) {
			case 'add':
				return service.add(one.event, one.category, one.ids);
			case 'remove':
				return service.remove(one.event, one.category, one.ids);
			case 'count':
				return service.count(one.category, one.counter, one.by);
			case 'credits':
				service.credits = one.credits;
				return;
			case 'status':
				for (const number of one.numbers) service.move(number, one.message, one.state);
				return;
			case 'poll':
				return await this.pollWith(one);
			case 'wait':
				await this.poll();
				passHours(one.hours);
				return await this.poll(one.polls);
			case 'hide':
				service.hidden = one.part;
				await this.poll();
				passHours(one.hours);
				await this.poll(one.polls - 1);
				service.hidden = undefined;
				return;
			case 'restart':
				service.failing = one.failing;
				service.shuffle = one.shuffle;
				return await this.restart();
			case 'credential':
				this.point(one.account, one);
				for (const poll of one.polls) await this.pollWith(poll);
				return;
			case 'edit':
				return await this.change('saved', () => this.set(this.players[0], one.settings));
			case 'rename':
				return await this.change(this.reloadOf(one), () => {
					const { host } = this.players[one.trigger % this.players.length];
					if (this.players.some((player) => player.host.nodeName === one.name)) return;
					host.nodeName = one.name;
				});
			case 'swap':
				return await this.change(this.reloadOf(one), () => {
					const names = this.players.map(({ host }) => host.nodeName).reverse();
					this.players.forEach(({ host }, at) => (host.nodeName = names[at]));
				});
			case 'restore':
				return await this.change('saved', () => {
					const old = this.versions[one.version % this.versions.length];
					this.players.forEach((player, at) => {
						this.set(player, old[at].settings);
						player.host.nodeName = old[at].name;
					});
				});
			case 'empty':
				return await this.replaceStaticData(one.reload, {});
			case 'putBack':
				if (this.moments.length === 0) return;
				const { database, saved } = this.moments[one.moment % this.moments.length];
				return await this.replaceStaticData(one.reload, database, saved);
		}
	}

	/** The credential leads to an account, with the key that it had or with a new one. */
	private point(
		account: number,
		{ isNewKey, isReplaced }: { isNewKey: boolean; isReplaced: boolean },
	): void {
		this.account = account;
		if (isNewKey) this.keys[account] += 'x';
		this.service.calm();
		for (const { host, model } of this.players) {
			model.service = this.service;
			model.apiKey = this.keys[account];
			host.credential = { baseUrl: this.service.address, apiKey: this.keys[account] };
			if (isReplaced) host.credentialId += "'";
		}
	}

	/** n8n's scheduler reads the workflow for each poll. Usually, n8n does when it is saved. */
	private reloadOf({ reload }: { reload: Reload }): Reload {
		return this.keeping === 'usual' && reload === 'not at once' ? 'saved' : reload;
	}

	/** Changes the workflow or its static data, and has n8n read it again. */
	private async change(reload: Reload, how: () => void): Promise<void> {
		this.versions.push(
			this.players.map(({ host: { nodeName: name }, settings }) => ({ name, settings })),
		);
		how();
		if (reload === 'restarted') return await this.restart();
		if (reload !== 'not at once') await this.activate('update');
	}

	/** Another execution puts older static data back, or the workflow is deployed without it. */
	private async replaceStaticData(reload: Reload, database: IDataObject, saved: Memory[] = []) {
		// Events that the last poll handed out would come again.
		await this.calmDown(1);
		// n8n usually doesn't look into its database while a workflow is active.
		if (this.keeping === 'usual' && reload === 'not at once') return;
		this.players[0].host.database = structuredClone(database);
		// With durable cursors, n8n has a newer state of the node. Until a restart, the process has one as well.
		for (const [at, player] of this.keeping === 'durable' ? [] : this.players.entries()) {
			player.saved = structuredClone(saved[at]);
			player.isOlder = true;
		}
		await this.change(reload, () => {});
	}

	private async activate(mode: 'activate' | 'update' | 'init' = 'activate'): Promise<void> {
		// n8n reads the workflow from its database.
		for (const player of this.players) player.written = structuredClone(player.saved);
		for (const [at, player] of this.players.entries()) {
			const { host } = player;
			const activate = async () =>
				mode === 'init' && at === 0
					? await host.restart()
					: await host.activate(mode, mode === 'activate' ? undefined : at > 0);
			await this.judge(player, 'activation', activate);
		}
	}

	/** n8n ends without warning and starts again. What quiet polls have found since it last saved is lost. */
	private async restart(): Promise<void> {
		this.moments.length = 0;
		for (const player of this.players) {
			player.reported = [];
			player.hasPolled = false;
			if (player.isOlder) player.eventOf.clear();
			player.isOlder = false;
			player.model.memory = structuredClone(player.saved);
		}
		if (this.keeping === 'usual') await this.activate('init');
		else await this.players[0].host.restart();
	}

	private set(player: Player, settings: Settings): void {
		player.settings = settings;
		// The static data that another execution puts back is of the same events: those not chosen would go on.
		this.moments.length = 0;
		player.host.parameters = parametersOf(settings);
	}

	private async pollWith({ failing, blank, shuffle, twice }: Poll): Promise<void> {
		Object.assign(this.service, { failing, blank, shuffle });
		for (const player of this.players) await this.pollOf(player, twice);
		this.service.calm();
	}

	private async pollOf(player: Player, twice: boolean): Promise<void> {
		const { host } = player;
		const poll = async () => await this.judge(player, 'poll', async () => await host.poll());
		if (!twice) return void (await poll());
		// The poll runs twice; n8n loses the result of the first.
		const lost = await this.judge(player, 'lost', async () => await host.rehearse());
		const items = await poll();
		// The time of the poll is another one.
		const receivedAt: unknown = expect.any(String);
		expect(items).toEqual(lost.map((item) => ({ ...item, receivedAt })));
	}

	private async poll(times = 1): Promise<void> {
		for (let count = 0; count < times; count++) {
			for (const player of this.players) await this.pollOf(player, false);
		}
	}

	/** Polls until so many polls in a row have nothing to hand out. */
	private async calmDown(quietPolls: number): Promise<void> {
		this.service.calm();
		const handedOut = () => this.players.reduce((sum, { host }) => sum + host.items.length, 0);
		for (let quiet = 0; quiet < quietPolls; ) {
			const before = handedOut();
			await this.poll();
			quiet = handedOut() === before ? quiet + 1 : 0;
		}
	}

	/** One poll of a trigger, judged by the model. */
	private async judge(player: Player, kind: Kind, run: () => Promise<IDataObject[]>) {
		const { host, model, settings } = player;
		const { errors, log } = host;
		const [errorsBefore, linesBefore] = [errors.length, log.length];
		const { database } = host;
		this.service.begin();
		const before = structuredClone(model.memory);
		let isActive = true;
		const items = await run().catch(() => {
			isActive = false;
			return [];
		});
		const { expected, sources, failed, failedWholly, moved } = model.expect(settings);

		let next = 0;
		for (const { key, waiting } of expected) {
			const granted = Math.min(waiting.length, settings.limit);
			for (let count = 0; count < granted; count++) {
				const item = items[next++];
				expect(item && belongsTo(item, key)).toBe(true);
				const at = key === 'status' ? waiting.findIndex((one) => fits(one, item)) : 0;
				const [{ check, settle }] = waiting.splice(at, 1);
				const event = check(item);
				if (kind !== 'lost') this.identify(player, item.eventId, event);
				settle();
			}
		}
		expect(next).toBe(items.length);

		// A new trigger fails where something does; another one if all do, but for its first poll.
		const isNew = before === undefined;
		const fails = isNew
			? failedWholly.length > 0
			: failedWholly.length === sources && player.hasPolled;
		expect(isActive ? errors.length - errorsBefore : 1).toBe(fails ? 1 : 0);
		const said = log.slice(linesBefore).filter(({ level }) => level !== 'info');
		const isMove = ({ message }: { message: string }) =>
			message.includes('another key or address');
		expect(said.filter(isMove)).toHaveLength(moved);
		const news = fails ? [] : failed.filter((key) => !player.reported.includes(key));
		expect(said).toHaveLength(moved + news.length);
		if (!fails) player.reported = failed;
		player.hasPolled = true;

		// A lost poll counts as long as it handed nothing out.
		if (kind === 'lost' && items.length > 0) model.memory = before;
		if (kind === 'lost') return items;
		player.written = structuredClone(model.memory);
		if (this.keeping === 'durable') {
			player.saved = player.written;
		} else if (kind === 'activation' || items.length > 0) {
			// The static data of both triggers is saved together; the scheduler has read that of the other.
			for (const one of this.keeping === 'usual' ? this.players : [player]) {
				one.saved = structuredClone(one.written);
			}
		}
		if (host.database !== database) {
			const saved = this.players.map((one) => structuredClone(one.saved));
			this.moments.push({ database: structuredClone(host.database), saved });
		}
		return items;
	}

	/** Another event has another ID; an entry has the same one whenever it comes. */
	private identify({ eventOf, idOf }: Player, id: unknown, event: string): void {
		expect(eventOf.get(id) ?? event).toBe(event);
		eventOf.set(id, event);
		if (!/^(reply|unsubscribed|bounced) /.test(event)) return;
		expect(idOf.get(event) ?? id).toBe(id);
		idOf.set(event, id);
	}
}

function fits({ check }: { check: (item: IDataObject) => string }, item: IDataObject): boolean {
	try {
		check(item);
		return true;
	} catch {
		return false;
	}
}

function parametersOf({ numbers, events, categories, limit, emitExisting, threshold }: Settings) {
	return {
		events,
		categories: categories.join(', '),
		creditsThreshold: threshold,
		watch: 'numbers',
		watchNumbers: numbers.join(', '),
		options: { maxItemsPerPoll: limit, emitExisting },
	};
}

/**
 * A test of random histories. Each way in which n8n keeps state has a file of its own: they run side by side.
 *
 * @param share of `HISTORIES`
 */
export function testHistories(keeping: Keeping, share: number): void {
	test('every event is handed out, with its own ID', { timeout: 900_000 }, async () => {
		await playHistories({
			count: Math.ceil(HISTORIES * share),
			drawn: fc.tuple(triggers, moves),
			play: async ([all, history]) => await new Game(keeping, all).play(history),
		});
	});
}
