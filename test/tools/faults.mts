/**
 * Six workflows that have just failed, each by another fault, in a real n8n: somebody who has never seen the package
 * recovers from each of them by what its error says; how many messages each phone has got is printed as it changes.
 */
import { N8n, owner } from '../harness/n8n.mts';
import { placed } from '../harness/settings.mts';
import { rowsOf, SIX_FAULTS } from './six-faults.mts';
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
by what the errors say. How many each phone has got is printed as it changes; Ctrl-C ends.`);

function counts(): string {
	return SIX_FAULTS.map(({ title }, place) => {
		const phones = Array.from({ length: 5 }, (_, index) => `+33639987${place}0${index}`);
		const got = phones.map((phone) => simulator.messagesTo(phone).length).join(' ');
		return `${got}   ${place + 1}. ${title}`;
	}).join('\n');
}

let shown = '';
const timer = setInterval(() => {
	const now = counts();
	if (now !== shown) console.log(`\n${now}`);
	shown = now;
}, 1000);
process.on('SIGINT', () => {
	clearInterval(timer);
	void Promise.all([n8n.stop(), simulator.close()]).then(() => process.exit(0));
});
