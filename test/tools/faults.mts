/**
 * Six workflows that have just failed, each by another fault, in a real n8n: somebody who has never seen the package
 * recovers from each of them by what its error says, and Enter shows what the phones have got.
 */
import { createInterface } from 'node:readline';
import { N8n, owner } from '../harness/n8n.mts';
import { placed } from '../harness/settings.mts';
import { rowsOf, SIX_FAULTS } from '../harness/six-faults.mts';
import { startSimulator } from '../simulator/index.mts';

const simulator = await startSimulator({ extended: true });
const n8n = new N8n({});
await n8n.start();
const { baseUrl, apiKey, headerName } = simulator;
const credential = { baseUrl, apiKey, headerName, allowHttp: false };
await n8n.createCredential('smsServiceApi', 'SMS Service account', credential);

for (const [place, fault] of SIX_FAULTS.entries()) {
	const { title, operation, settings, answer } = fault;
	const { id } = await n8n.createWorkflow({
		name: `${place + 1}. ${title}`,
		nodes: [
			{ name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} },
			{
				name: 'SMS',
				type: 'n8n-nodes-sms-service.sms',
				parameters: {
					operation,
					number: '={{ $json.to }}',
					message: '={{ $json.text }}',
					...placed('Sms', operation, { concurrency: 1, ...settings }),
				},
				credentials: { smsServiceApi: { id: null, name: 'SMS Service account' } },
			},
		],
		connections: { Start: { main: [[{ node: 'SMS', type: 'main', index: 0 }]] } },
		pinData: { Start: rowsOf(fault, place).map((json) => ({ json })) },
	});
	if (answer) simulator.faults.add({ path: /\/messages\/send$/, times: 1, ...answer });
	await n8n.run(id);
	simulator.faults.clear();
}

console.log(`
n8n's editor   ${n8n.url}/home/workflows
  log in with  ${owner.email}
  password     ${owner.password}

Six workflows have just failed, once each, under Executions. Get each of their five messages to its phone, once,
by what the errors say. Press Enter to see how many each phone has got, and Ctrl-C to end.`);

function show(): void {
	for (const [place, fault] of SIX_FAULTS.entries()) {
		const counts = Array.from(
			{ length: 5 },
			(_, index) => simulator.messagesTo(`+33639987${place}0${index}`).length,
		);
		console.log(`${counts.join(' ')}   ${place + 1}. ${fault.title}`);
	}
}

const terminal = createInterface({ input: process.stdin });
terminal.on('line', show);
process.on('SIGINT', () => {
	terminal.close();
	void Promise.all([n8n.stop(), simulator.close()]).then(() => process.exit(0));
});
