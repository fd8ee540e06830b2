/** Example workflows that take minutes: nobody answers, and n8n is killed in the middle of a batch. */
import axios from 'axios';
import { expect, test } from 'vitest';
import { phones, Received } from '../e2e/delivery-support.mts';
import { beganAt, useExamples } from '../e2e/examples-support.mts';
import { useEnvironment } from '../e2e/support.mts';
import { toldTo } from '../harness/examples.mts';
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

test('after-a-crash: n8n killed in the middle of 2,000 messages: everybody has one in the end', async () => {
	const people = phones(2_000);
	const orders = people.map((Phone, Order) => ({
		...{ Phone, Order: `2026-${Order}`, 'First name': 'Camille', Total: '25,90' },
	}));
	const workflow = await importExample('after-a-crash', { pins: { Orders: orders } });
	// Somebody whose message is going to be unknown has got another one an hour ago.
	const { service, clock, faults } = simulator;
	clock.advance(-3_600_000);
	service.accept({ kind: 'notification', number: people[1_050], text: 'Earlier' });
	clock.advance(3_600_000);
	const received = () =>
		new Received({ messages: simulator.messages.filter(({ text }) => text !== 'Earlier') });
	// The service takes 1,000, and at least ten that it never answers: as many as are in flight.
	faults.add({
		path: /send$/,
		skip: 1_000,
		times: Infinity,
		do: { kind: 'delay', ms: 600_000 },
	});
	const began = new Date().toISOString();
	const killed = await n8n.startRun(workflow.id);
	await expect
		.poll(() => received().count(people, 1), { timeout: 180_000 })
		.toBeGreaterThanOrEqual(1_010);
	await n8n.kill('SIGKILL');
	faults.clear();
	await n8n.restart();
	expect((await n8n.waitFor(killed)).status).toBe('crashed');

	await change(workflow, beganAt(began));
	const again = await n8n.run(workflow.id);
	expect(again.error).toBeUndefined();
	const unknown = again.json('Unknown');
	const missing = again.json('Send with Another Key');
	console.log(`${unknown.length} unknown, of which ${missing.length} were missing`);
	expect(unknown.length).toBeGreaterThan(10);
	expect(unknown[0].reason).toContain('was stopped while it sent this');
	expect(missing.length).toBeGreaterThan(0);
	expect(missing.length).toBeLessThan(unknown.length);
	expect(received().count(people, 1)).toBe(people.length);
	expect(toldTo(again, 'Tell the Team')).toEqual([]);

	const last = await n8n.run(workflow.id);
	expect(last.json('Send with Another Key')).toEqual([]);
	expect(received().count(people, 1)).toBe(people.length);
}, 240_000);
