/** A process that is killed while a request is under way: the next one finds it written down. (n8n stores the memory.) */
import type { IContextObject } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { Budget } from '../../../nodes/shared/run/budget.ts';
import { Client } from '../../../nodes/shared/run/client.ts';
import { Limiter } from '../../../nodes/shared/run/limiter.ts';
import { Receipts } from '../../../nodes/shared/run/receipts.ts';
import { neverStop } from '../../../nodes/shared/run/stopRule.ts';
import { readSendReceipt, SEND } from '../../../nodes/shared/service/messages.ts';

const identity = { target: 'recipient', content: 'text' };

test('a request is unknown from before it leaves until its answer', async () => {
	const memory: IContextObject = {};
	const receipts = new Receipts(memory, 0);
	const stored: IContextObject[] = [];
	const client = new Client(
		{
			connection: {
				async request(_, read) {
					stored.push(structuredClone(memory));
					const body = { snapshotId: 362891, creditsUsed: 1 };
					return { value: read(body, { status: 200 } as never)! };
				},
			},
			limiter: new Limiter({ concurrency: 1, requestsPerSecond: 0 }),
			receipts,
			budget: new Budget(memory, {}),
			stopRule: neverStop(),
			cache: new Map(),
			notes: new Set(),
			warnings: new Set(),
		},
		{ index: 0, identity, resendUnknown: false },
	);
	await client.change({ endpoint: SEND, path: { messageType: 'notification' } }, readSendReceipt);
	expect(stored).toHaveLength(1);
	expect(new Receipts(stored[0], 0).find('0', identity)).toEqual({ state: 'unknown' });
	expect(receipts.find('0', identity)).toMatchObject({ state: 'accepted' });
});

test('in a loop, only the receipts of the last run are kept', () => {
	const memory: IContextObject = {};
	for (let run = 0; run < 10; run++) {
		const receipts = new Receipts(memory, run);
		receipts.begin('0', identity).accepted({ snapshotId: run });
		receipts.handOver();
	}
	expect(JSON.stringify(memory).match(/snapshotId/g)).toHaveLength(1);
	expect(new Receipts(memory, 9).find('0', identity)).toMatchObject({ state: 'accepted' });
});
