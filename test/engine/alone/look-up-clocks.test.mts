/**
 * Lost answers where it is hard to tell what came before the attempt and what after it: a distant service,
 * a clock that leaps. What did not arrive is never called sent.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startSimulator, type Simulator } from '../../simulator/index.mts';
import { load, runNode, wires, type RunOptions } from '../harness.mts';
import { hurry, jsonOf } from '../sms/support.mts';

let sim: Simulator;
beforeAll(async () => {
	hurry();
	sim = await startSimulator();
});
afterAll(async () => await sim.close());
const policy = load<{ lookUpPolicy: { rounds: number[]; longest: number; narrowing: number } }>(
	'nodes/Sms/lookUp.js',
).lookUpPolicy;
const realNow = Date.now;
beforeEach(() => {
	sim.reset();
	Object.assign(policy, { rounds: [0, 300, 2_000], longest: 20_000, narrowing: 10 });
});
afterEach(() => {
	Date.now = realNow;
	wires.clear();
});

const sleep = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));
/** Another test texts other numbers: what one has left unknown could be taken for another's. */
let area = 10;
beforeEach(() => area++);
const numberOf = (index: number) => `+336${area}${String(index).padStart(6, '0')}`;

function given(items: IDataObject[], more: Partial<RunOptions> = {}): RunOptions {
	return {
		node: 'Sms',
		parameters: {
			operation: 'sendBatch',
			number: '={{ $json.to }}',
			message: 'Bonjour',
			options: { checkBalance: false },
		} as INodeParameters,
		items,
		credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
		...more,
	};
}
/** How the way to the service is: each request takes so long to get there, and each answer back. */
function distance(there: number, back: number): void {
	wires.set(new URL(sim.baseUrl).origin, async (_, make) => {
		await sleep(there);
		try {
			return await make();
		} finally {
			await sleep(back);
		}
	});
}
/** The second message to each number does not arrive. */
function loseSeconds(): void {
	const seen = new Set<string>();
	sim.faults.add({
		path: /send$/,
		times: Infinity,
		match: ({ body }) => {
			const number = /"(\+33\d+)"/.exec(body.toString())?.[1] ?? '';
			if (seen.has(number)) return true;
			seen.add(number);
			return false;
		},
		do: { kind: 'resetBeforeRead' },
	});
}

test.each([
	[100, 100],
	[20, 180],
])(
	'far away (%d ms there, %d ms back): the message of the run before, in a loop, is not taken for it',
	async (there, back) => {
		distance(there, back);
		loseSeconds();
		const loops = Array.from({ length: 12 }, async (_, index) => {
			await sleep(index * 83);
			const items = [{ to: numberOf(index) }];
			return await runNode(given(items, { furtherRuns: [items] }));
		});
		for (const { runs } of await Promise.all(loops)) {
			expect(jsonOf(runs[0].items)).toMatchObject([{ status: 'sent', creditsUsed: 1 }]);
			expect(jsonOf(runs[1].items)).toMatchObject([{ status: 'unknown' }]);
		}
	},
	120_000,
);

test('far away, a message that arrived is found', async () => {
	distance(100, 100);
	sim.faults.add({ path: /send$/, times: Infinity, do: { kind: 'resetAfterAccept' } });
	const runs = Array.from({ length: 12 }, async (_, index) => {
		await sleep(index * 83);
		return await runNode(given([{ to: numberOf(index) }]));
	});
	for (const { items } of await Promise.all(runs)) {
		expect(jsonOf(items)).toMatchObject([{ status: 'sent', foundBy: 'lookup' }]);
	}
}, 120_000);

test('where this computer was too busy to read the clock closely at first, it is found later', async () => {
	let lookUps = 0;
	wires.set(new URL(sim.baseUrl).origin, async (request, make) => {
		// After the first look, ten come too late to tell more than that.
		if (request.url?.includes('/messages/status') === true && lookUps++ > 0 && lookUps <= 11) {
			await sleep(25);
		}
		return await make();
	});
	sim.faults.add({ path: /send$/, do: { kind: 'resetAfterAccept' } });
	const { items } = await runNode(given([{ to: numberOf(1) }]));
	expect(jsonOf(items)).toMatchObject([{ status: 'sent', foundBy: 'lookup' }]);
}, 60_000);

test.each([4_000, -4_000])(
	"a leap of this computer's clock by %d ms during the attempt is no time",
	async (leap) => {
		await runNode(given([{ to: numberOf(1) }]));
		await sleep(1_500);
		let isOver = false;
		sim.faults.add({
			path: /send$/,
			match: () => {
				if (isOver) return false;
				isOver = true;
				Date.now = () => realNow() + leap;
				return true;
			},
			do: { kind: 'resetBeforeRead' },
		});
		const { items } = await runNode(given([{ to: numberOf(1) }]));
		expect(jsonOf(items)).toMatchObject([{ status: 'unknown' }]);
	},
	60_000,
);
