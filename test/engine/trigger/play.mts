/**
 * Plays random histories of a service and of an n8n, with one trigger or with two in a workflow, and
 * judges every poll by the model.
 */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { HISTORIES, SEED } from '../../harness/random.mts';
import { Host, passHours, type Keeping } from './harness.mts';
import { belongsTo, Model, nothing, type Memory } from './model.mts';
import { moves, triggers, type Move, type Poll, type Reload, type Settings } from './moves.mts';
import { Service } from './service.mts';

/** A trigger, what it has to remember, and what n8n has of that. */
interface Player {
	host: Host;
	model: Model;
	settings: Settings;
	/** What n8n has saved. */
	saved?: Memory;
	/** What n8n has in memory while the workflow is active, and saves with the next event of any trigger. */
	written?: Memory;
	/** Outages that n8n was told of. */
	reported: string[];
	/** n8n has nothing any more, and the next poll has to say so. */
	isEmptied: boolean;
	/** Which event has an ID, and which ID it has. */
	eventOf: Map<unknown, string>;
	idOf: Map<string, unknown>;
}

type Kind = 'activation' | 'restart' | 'poll' | 'lost';

class Game {
	private readonly services = [
		new Service('https://one.example.com', 0),
		new Service('https://two.example.com', 0),
		new Service('https://one.example.com', 4),
	];
	private readonly keys = this.services.map((_, account) => `key-of-account-${account}-`);
	private account = 0;
	private readonly players: Player[] = [];
	/** What n8n's database had at other times: static data, and what it stands for. */
	private readonly moments: Array<{ database: IDataObject; saved: Memory[] }> = [];
	/** n8n's database may have an older state than was handed out. */
	private isOlder = false;
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
				reported: [],
				isEmptied: false,
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
		for (const player of this.players) {
			await this.judge(player, 'activation', async () => await player.host.activate());
		}
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
				return await this.restart(() => {
					service.failing = one.failing;
					service.shuffle = one.shuffle;
				});
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
					const [first, second] = this.players.map(({ host }) => host);
					if (!second) return;
					[first.nodeName, second.nodeName] = [second.nodeName, first.nodeName];
				});
			case 'restore':
				return await this.change('saved', () => this.restore(one.version));
			case 'empty':
				await this.calmDown(1);
				return await this.change(one.reload, () => this.empty(one.reload));
			case 'putBack':
				// What was handed out by the last poll comes again if the state before it is put back at once.
				await this.calmDown(1);
				return await this.change(one.reload, () => this.putBack(one.moment));
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
		// With durable cursors, an activation without events is saved by the next poll only.
		await this.poll();
		this.versions.push(
			this.players.map(({ host: { nodeName: name }, settings }) => ({ name, settings })),
		);
		if (reload === 'restarted') return await this.restart(how);
		how();
		if (reload === 'not at once') return;
		this.load();
		for (const [at, player] of this.players.entries()) {
			const { host } = player;
			const activate = async () => await host.activate('update', at > 0);
			await this.judge(player, 'activation', activate);
		}
	}

	/** n8n reads the workflow from its database. */
	private load(): void {
		for (const player of this.players) player.written = structuredClone(player.saved);
	}

	/** n8n ends without warning and starts again. What quiet polls have found since it last saved is lost. */
	private async restart(meanwhile: () => void): Promise<void> {
		meanwhile();
		this.load();
		for (const player of this.players) {
			player.reported = [];
			player.isEmptied = false;
			player.model.memory = structuredClone(player.saved ?? nothing());
			// When n8n starts, it is known that an active workflow has polled before.
			if (player.saved === undefined && this.keeping === 'usual') this.emptied(player);
			if (this.isOlder) player.eventOf.clear();
		}
		this.isOlder = false;
		this.moments.length = 0;
		for (const [at, player] of this.players.entries()) {
			const { host } = player;
			if (at === 0 && this.keeping !== 'usual') await host.restart();
			if (this.keeping !== 'usual') continue;
			const restart = async () =>
				at === 0 ? await host.restart() : await host.activate('init', true);
			await this.judge(player, 'restart', restart);
		}
	}

	private set(player: Player, settings: Settings): void {
		player.settings = settings;
		// What another execution puts back is of the same events: those that were not chosen would go on.
		this.moments.length = 0;
		player.host.parameters = parametersOf(settings);
	}

	private restore(version: number): void {
		const old = this.versions[version % this.versions.length];
		for (const [at, player] of this.players.entries()) {
			this.set(player, old[at].settings);
			player.host.nodeName = old[at].name;
		}
	}

	/** The workflow is deployed without its static data; with durable cursors, the state isn't there. */
	private empty(reload: Reload): void {
		if (this.keeping === 'durable') {
			this.players[0].host.database = {};
			return;
		}
		// While a workflow is active, n8n usually doesn't look into its database.
		if (this.keeping === 'usual' && reload === 'not at once') return;
		this.players[0].host.database = {};
		this.isOlder = true;
		for (const player of this.players) {
			// The trigger began anew already, and nothing was saved since.
			if (player.saved === undefined) continue;
			player.saved = undefined;
			this.emptied(player);
		}
	}

	private emptied(player: Player): void {
		player.isEmptied = true;
		player.model.empty(player.settings);
	}

	private putBack(moment: number): void {
		if (this.moments.length === 0) return;
		const { database, saved } = this.moments[moment % this.moments.length];
		this.players[0].host.database = structuredClone(database);
		if (this.keeping === 'durable') return;
		this.isOlder = true;
		for (const [at, player] of this.players.entries()) {
			player.saved = structuredClone(saved[at]);
		}
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
		const lost = await this.judge(player, 'lost', async () => await host.rehearse());
		const asked = new Set(this.service.asked.map(({ number }) => number));
		const items = await poll();
		if (lost.length > 0 || this.keeping === 'durable') {
			// The time of the poll is another one.
			const receivedAt: unknown = expect.any(String);
			expect(items).toEqual(lost.map((item) => ({ ...item, receivedAt })));
			return;
		}
		// A poll that found nothing counts as one all the same: a pause may end after it.
		for (const { event, identifier } of items) {
			expect(event).toBe('statusChanged');
			expect(asked).not.toContain(identifier);
		}
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
		const items = await run();
		const outlook = model.expect(settings);
		const { expected, sources, failed, failedWholly, baselines, isMoved } = outlook;

		const total = expected.reduce((sum, { waiting }) => sum + waiting.length, 0);
		expect(items.length).toBe(Math.min(total, settings.limit));
		let next = 0;
		for (const { key, waiting, settle } of expected) {
			let granted = 0;
			while (next < items.length && belongsTo(items[next], key)) {
				const item = items[next++];
				const event = waiting[granted++](item);
				if (kind !== 'lost') this.identify(player, item.eventId, event);
			}
			settle(granted);
		}
		expect(next).toBe(items.length);

		// A poll in which nothing works fails, where n8n can bear it. Else each outage is told once.
		const isFresh = kind === 'restart' || kind === 'lost';
		const isAllDown =
			this.keeping === 'durable'
				? failedWholly === sources
				: this.keeping === 'usual' && !isFresh && failed.length === sources;
		const fails = failed.length > 0 && items.length === 0 && isAllDown;
		const isNews = failed.some((key) => !player.reported.includes(key));
		expect(errors.length - errorsBefore).toBe(fails || isNews ? 1 : 0);
		player.reported = failed;
		const said = log.slice(linesBefore).map(({ message }) => message);
		const anew = said.filter((line) => line.includes('The trigger has taken a new baseline'));
		expect(anew.filter((line) => line.includes('another account'))).toHaveLength(
			isMoved ? 1 : 0,
		);
		expect(anew.filter((line) => line.includes('static data is missing'))).toHaveLength(
			player.isEmptied ? 1 : 0,
		);

		const isKept = kind === 'lost' ? this.keeping !== 'durable' && items.length === 0 : true;
		if (!isKept) {
			model.memory = before;
		} else if (this.keeping === 'durable' && kind === 'activation' && items.length === 0) {
			model.memory = withBaselines(before, model.memory, baselines);
		}
		if (isKept) player.isEmptied = false;
		if (kind === 'lost') return items;
		player.written = structuredClone(model.memory);
		const isActivation = kind === 'activation' || kind === 'restart';
		if (this.keeping === 'durable') {
			player.saved = player.written;
		} else if (isActivation || items.length > 0) {
			// The static data of both triggers is saved together; the scheduler has read that of the other.
			for (const one of this.keeping === 'usual' ? this.players : [player]) {
				one.saved = structuredClone(one.written);
			}
		}
		const saved = this.players.flatMap((one) => structuredClone(one.saved) ?? []);
		if (host.database !== database && saved.length === this.players.length) {
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

/** n8n keeps nothing of a poll at activation; what had no state keeps its baseline all the same. */
function withBaselines(before: Memory, after: Memory, baselines: readonly string[]): Memory {
	const { sources } = structuredClone(before);
	for (const [key, remembered] of Object.entries(after.sources)) {
		if (key !== 'status' || sources[key] === undefined) {
			if (baselines.includes(key)) sources[key] = remembered;
			continue;
		}
		const { watched = {} } = sources[key];
		for (const [number, seen] of Object.entries(remembered.watched ?? {})) {
			if (watched[number]?.seen === undefined) watched[number] = seen;
			else watched[number].failed ||= seen.failed;
		}
	}
	return { sources, silent: after.silent };
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

/** Plays one history. */
export async function play(
	keeping: Keeping,
	all: readonly Settings[],
	history: readonly Move[],
): Promise<void> {
	await new Game(keeping, all).play(history);
}

/** A test of random histories. Each way in which n8n keeps state has a file of its own, so that they run side by side. */
export function testHistories(keeping: Keeping): void {
	test('every event is handed out exactly once', { timeout: 600_000 }, async () => {
		console.log(`${HISTORIES} histories, state kept ${keeping}, seed ${SEED}`);
		await fc.assert(
			fc.asyncProperty(triggers, moves, async (all, history) => {
				await play(keeping, all, history);
			}),
			{ numRuns: HISTORIES },
		);
	});
}
