/** Example workflows that take minutes: nobody answers, and n8n is killed in the middle of a batch. */
import axios from 'axios';
import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { phones, Received } from '../harness/phones.mts';
import { useExamples } from '../e2e/examples-support.mts';
import { useEnvironment } from '../e2e/support.mts';
import { toldTo } from '../harness/examples.mts';
import { DataTables } from '../harness/tables.mts';
import { linkOf } from '../operations.mts';

const { n8n, simulator } = await useEnvironment({ n8n: {}, simulator: { extended: true } });
const { change, importExample } = useExamples(n8n);

test("escalation: nobody answers, one can't be texted: all are asked, and an email goes out", async () => {
	const onCall = [71, 72, 73].map((last) => `+336399800${last}`);
	const workflow = await importExample('escalation');
	// A second for each person; n8n looks once a minute for executions whose time is over.
	const text = JSON.stringify(workflow.nodes);
	const nodes = JSON.parse(
		text.replace('"resumeAmount":10', '"resumeAmount":0.02'),
	) as typeof workflow.nodes;
	expect(nodes).not.toEqual(workflow.nodes);
	await n8n.updateWorkflow(workflow.id, { nodes });
	simulator.stop(onCall[1]);
	const execution = await n8n.run(workflow.id);
	expect([execution.status, execution.error]).toEqual(['success', undefined]);
	expect(simulator.messages.map(({ number }) => number)).toEqual([onCall[0], onCall[2]]);
	expect(toldTo(execution, 'Tell the Team')).toEqual([]);
	expect(toldTo(execution, 'Send Email')).toEqual([
		{
			subject: 'Cold room 2 is at 9 degrees: nobody took it',
			message: 'Asked by SMS, in this order: Camille, Karim, Léa. Nobody took it.',
		},
	]);
});

test('ask-and-wait: n8n is killed while it waits, and the answer comes after', async () => {
	const { id } = await importExample('ask-and-wait');
	const started = await n8n.startRun(id);
	const status = async () => (await n8n.getExecution(started)).status;
	await expect.poll(status, { timeout: 180_000 }).toBe('waiting');
	await n8n.kill();
	await n8n.start();
	const link = linkOf(simulator)!;
	expect((await axios.get(link, { proxy: false })).status).toBe(200);
	const pressed = await axios.post(link, new URLSearchParams({ answer: 'approve' }), {
		proxy: false,
	});
	expect(pressed.data).toContain('has been recorded');
	const execution = await n8n.waitFor(started);
	expect([execution.status, execution.error]).toEqual(['success', undefined]);
	expect(toldTo(execution, 'Release the Order')).toHaveLength(1);
	expect(simulator.messages).toHaveLength(1);
});

test('batch-with-once-keys: n8n killed in the middle of 2,000 messages: run again, everybody has one in the end', async () => {
	const people = phones(2_000, 4_000);
	const tables = new DataTables(n8n);
	await tables.reset();
	const orders = people.map((phone, order) => ({
		...{ phone, orderId: `2026-${1_000 + order}`, firstName: 'Camille', total: '25,90' },
	}));
	for (let from = 0; from < orders.length; from += 500) {
		await tables.insert('SMS Orders', ...orders.slice(from, from + 500));
	}
	const workflow = await importExample('batch-with-once-keys');
	// n8n stores an execution that waits for more than 65 seconds, and goes on with it from there.
	await change(workflow, { 'Five Minutes': { amount: 70, unit: 'seconds' } });
	// Somebody whose message is going to be unknown has got another one an hour ago.
	const { service, clock, faults } = simulator;
	clock.advance(-3_600_000);
	service.accept({ kind: 'notification', number: people[1_050], text: 'Earlier' });
	clock.advance(3_600_000);
	const received = () =>
		new Received({ messages: simulator.messages.filter(({ text }) => text !== 'Earlier') });
	// The service takes 1,000, those of the three example rows, and at least ten that it never answers: as many
	// as are in flight.
	faults.add({
		path: /send$/,
		skip: 1_003,
		times: Infinity,
		do: { kind: 'delay', ms: 600_000 },
	});
	const killed = await n8n.startRun(workflow.id);
	await expect
		.poll(() => received().count(people, 1), { timeout: 600_000 })
		.toBeGreaterThanOrEqual(1_010);
	await n8n.kill('SIGKILL');
	faults.clear();
	await n8n.restart();
	expect((await n8n.waitFor(killed)).status).toBe('crashed');

	const again = await n8n.run(workflow.id, { timeoutMs: 900_000 });
	expect(again.error).toBeUndefined();
	const unknown = again.json('Five Minutes');
	const missing = again.json('Send with Another Key');
	console.log(`${unknown.length} unknown, of which ${missing.length} were missing`);
	expect(unknown.length).toBeGreaterThan(10);
	expect((unknown[0].sms as IDataObject).reason).toContain('may have sent this');
	expect(missing.length).toBeGreaterThan(0);
	expect(missing.length).toBeLessThan(unknown.length);
	expect(received().count(people, 1)).toBe(people.length);
	const rows = (await tables.rows('SMS Orders')).filter(({ phone }) =>
		people.includes(String(phone)),
	);
	expect(rows).toHaveLength(people.length);
	const open = rows.filter(({ smsStatus }) => !['sent', 'skipped'].includes(String(smsStatus)));
	expect(open).toEqual([]);

	const last = await n8n.run(workflow.id);
	expect(last.json('Open').map(({ orderId }) => orderId)).toEqual(['2026-103']);
	expect(received().count(people, 1)).toBe(people.length);
}, 1_500_000);
