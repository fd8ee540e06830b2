import type { Item } from '../fields/item';
import { Admissions } from './admission';
import { answers } from './answers';
import { checkAll } from './check';
import { Entries, type Open, type Prepared } from './entries';
import { Ground } from './Ground';
import type { RunHost } from './host';
import type { Definition } from './operation';
import { BESIDE_INVALID, endOfAll, failureOf, type Outcome } from './outcome';
import { Progress } from './Progress';
import { Receipts } from './Receipts';
import { Recovery } from './recovery';
import { report, type Report } from './report';
import { inSlices } from './slices';
import { carryOutTogether } from './together';
import { trialOf } from './trial';

/**
 * One run of an operation, whatever runs it: its items are read, recovered, checked, admitted, carried out
 * and told. The only place that knows this order.
 */
export class Run<P extends Prepared> {
	private readonly entries = new Entries<P>();
	private readonly problems: string[] = [];
	private recovery?: Recovery;
	private ground?: Ground<P>;

	constructor(
		private readonly host: RunHost,
		private readonly definition: Definition<P>,
		private readonly policy = definition.policy ?? answers,
	) {}

	/** @param items at least one. Never throws. */
	async carryOut(items: Iterable<Item>): Promise<Report> {
		const { host, definition, entries } = this;
		const { memory, runIndex, execution } = host;
		await inSlices(items, (item) => entries.read(item, definition, host.node.parameters));
		try {
			const receipts = new Receipts(memory, runIndex, execution === undefined);
			this.recovery = new Recovery(receipts, entries.all, definition);
			this.recovery.refuseExpired(entries.open);
			this.ground = new Ground(host, definition, entries, this.recovery);
			if (this.mayGoOn) await checkAll(definition, entries, this.ground);
			if (this.mayGoOn) definition.compare?.(entries.open);
			if (this.mayGoOn) await this.admit(this.ground);
			this.endOpen(BESIDE_INVALID);
		} catch (error) {
			// Nothing has left now: what can be thrown here comes before the first item.
			this.endOpen(endOfAll(error));
		}
		return await this.tell();
	}

	/** All items can be sent, or the user wants the others to be sent anyway. */
	private get mayGoOn(): boolean {
		const { continues } = this.host;
		const goesOn = this.policy.goesOn(continues, this.ground!.settings);
		return this.entries.all.every(
			({ outcome }) =>
				outcome === undefined || (outcome.status === 'invalid' ? goesOn : continues),
		);
	}

	/** Leads the items through the stages, and carries out those that they admit. */
	private async admit(ground: Ground<P>): Promise<void> {
		const { host, definition, entries } = this;
		const { carrier, recovery } = ground;
		const { open } = entries;
		if (open.length === 0) return;
		if (definition.executeAll) return await carryOutTogether(definition, entries, ground);
		const { isManual, execution, timing } = host;
		const { account } = host.connection;
		const { options } = entries;
		const items = entries.all.length;
		const staged = { execution, isManual, account, options, items, timing };
		const trial = trialOf(definition, staged);
		const fresh = open.filter((entry) => !recovery.isSettled(entry));
		trial?.rewrite(fresh, recovery);
		const isTest = trial?.isTest === true;
		const stagesOf = (looksOnly: boolean) =>
			definition.guards?.({ ...staged, looksOnly, isTest }) ?? [];
		const admissions = new Admissions(stagesOf(trial !== undefined), carrier);
		const beginning = { client: ground.requestsOf(open[0]), madeBefore: recovery.alike };
		const progress = new Progress(
			open.length,
			definition.verb,
			timing.progress,
			open[0].item.timeZone,
			host.log,
		);
		try {
			await admissions.begin(fresh, beginning, recovery.renamedOf(open));
			await definition.begin?.(staged, {
				client: beginning.client,
				candidates: fresh,
				predict: async () => await new Admissions(stagesOf(true)).predict(fresh, beginning),
			});
			await admissions.each(
				open,
				async (entry) => await this.carry(entry, ground),
				(entry, outcome) => {
					entries.end(entry, outcome);
					progress.count(outcome);
				},
				recovery,
			);
		} finally {
			this.problems.push(...(await admissions.end()));
		}
		ground.trial = trial?.describe(entries.all);
	}

	private async carry(entry: Open<P>, ground: Ground<P>): Promise<Outcome> {
		const { prepared, item } = entry;
		if (entry.showsOnly) return { status: 'previewed', fields: prepared.preview?.() ?? {} };
		try {
			const client = ground.requestsOf(entry);
			const value = await this.definition.execute(prepared, client, item);
			return { status: 'done', value };
		} catch (error) {
			return failureOf(error);
		}
	}

	/** What an earlier try has done stays done. */
	private endOpen(outcome: Outcome): void {
		this.entries.endOpen((entry) => this.recovery?.lastWordOn(entry) ?? outcome);
	}

	private async tell(): Promise<Report> {
		const { host, definition, entries, problems, ground, recovery, policy } = this;
		const told = await report(host, definition, policy, {
			entries,
			problems,
			ground,
			recovery,
		});
		if (told.error === undefined) recovery?.receipts.handOver();
		return told;
	}
}
