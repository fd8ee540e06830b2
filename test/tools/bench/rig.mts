/** A running n8n with the meter in it, the server beside it, and one measured run of a node. */
import type { INodeParameters } from 'n8n-workflow';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import {
	startN8n,
	type N8n,
	type StoredWorkflow,
	type WorkflowDefinition,
} from '../../harness/n8n.mts';
import { freePort } from '../../harness/process.mts';
import { type CaseName, type Cell, connectionsOf, type Engine, type Fields } from './plan.mts';
import type { Arrivals } from './server.mts';

/** What one run took. */
export interface Sample {
	/** From the items' arrival at the node to the next node. */
	wallMs: number;
	/** CPU time of n8n's process meanwhile; of the bare client, its own. */
	cpuMs: number;
	/** The longest time for which the event loop did nothing else. */
	stallMs: number;
	/** Memory of the process before, and the most meanwhile, in bytes. */
	rssBefore: number;
	rssPeak: number;
}

type Node = WorkflowDefinition['nodes'][number];

const KEY = 'bench-key-0123456789';
const PATH = '/v2/notification/messages/send';
/** A run that takes longer is given up. */
const LONGEST_RUN = 15 * 60_000;

const SHIPPED = '=Order {{ $json.order }} has been shipped';

/** What is typed into the node. */
const TYPED: Readonly<Record<Fields, { number: string; message: string }>> = {
	one: { number: '+33639980000', message: SHIPPED },
	two: { number: '={{ $json.to }}', message: SHIPPED },
	three: {
		number: '={{ $json.to }}',
		message: '=Hello {{ $json.name }}, your order {{ $json.order }} is ready {{ $json.when }}',
	},
	evaluated: {
		number: '={{ $json.to.trim() }}',
		message: '=Hello {{ $json.name.toUpperCase() }}, your order {{ $json.order }} is ready',
	},
};

/** A contact's value in one column, as n8n's editor stores it. */
const ATTRIBUTES = {
	mappingMode: 'defineBelow',
	value: { name: '={{ $json.name }}' },
	matchingColumns: [],
	schema: [
		{
			id: 'name',
			displayName: 'Name',
			required: false,
			defaultMatch: false,
			display: true,
			type: 'string',
		},
	],
};

/** The server, in a process of its own. */
export class Server {
	readonly port: number;
	readonly #child: ChildProcess;

	private constructor(port: number, child: ChildProcess) {
		this.port = port;
		this.#child = child;
	}

	static async start(): Promise<Server> {
		const child = spawn(process.execPath, [join(import.meta.dirname, 'server.mts')], {
			stdio: ['pipe', 'pipe', 'inherit'],
		});
		const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
		return new Server(Number(port), child);
	}

	get url(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	async begin(latency: number): Promise<void> {
		await fetch(`${this.url}/bench`, { method: 'PUT', body: JSON.stringify({ latency }) });
	}

	async arrivals(): Promise<Arrivals> {
		return (await (await fetch(`${this.url}/bench`)).json()) as Arrivals;
	}

	stop(): void {
		this.#child.kill();
	}
}

/** An n8n to be measured. */
export class Rig {
	readonly n8n: N8n;
	readonly #meter: string;
	readonly #server: Server;
	#runs = 0;

	private constructor(n8n: N8n, meter: string, server: Server) {
		this.n8n = n8n;
		this.#meter = meter;
		this.#server = server;
	}

	static async start(engine: Engine, server: Server): Promise<Rig> {
		const port = await freePort();
		const n8n = await startN8n({
			env: {
				N8N_EXPRESSION_ENGINE: engine,
				NODE_OPTIONS: `--expose-gc --require ${join(import.meta.dirname, 'meter.cjs')}`,
				BENCH_METER_PORT: String(port),
				BENCH_SERVER_PORT: String(server.port),
			},
		});
		const rig = new Rig(n8n, `http://127.0.0.1:${port}`, server);
		await rig.createCredentials();
		return rig;
	}

	async stop(): Promise<void> {
		await this.n8n.stop();
	}

	private async createCredentials(): Promise<void> {
		const { n8n } = this;
		await n8n.createCredential('smsServiceApi', 'SMS', {
			baseUrl: this.#server.url,
			apiKey: KEY,
			headerName: 'X-Service-ApiKey',
		});
		await n8n.createCredential('httpHeaderAuth', 'Header', {
			name: 'X-Service-ApiKey',
			value: KEY,
		});
		await n8n.createCredential('twilioApi', 'Twilio', {
			authType: 'authToken',
			accountSid: 'AC0123456789',
			authToken: KEY,
		});
	}

	/**
	 * Runs a case once.
	 *
	 * @returns one sample; of `batchKeyed` with `keyedAgain` one for each
	 * @throws {Error} when the node fails, or the server did not get each request once
	 */
	async measure(name: CaseName, cell: Cell): Promise<Partial<Record<CaseName, Sample>>> {
		await this.ready();
		const workflow = await this.n8n.createWorkflow(this.workflowOf(name, cell));
		try {
			const counted = name === 'listGet' ? 'lists' : 'created';
			const first = await this.execute(workflow, cell, { [counted]: cell.items });
			if (name !== 'batchKeyed' || cell.runs.keyedAgain === undefined)
				return { [name]: first };
			const keyedAgain = await this.execute(workflow, cell, { created: 0 });
			return { batchKeyed: first, keyedAgain };
		} finally {
			await this.n8n.rest.post(`/workflows/${workflow.id}/archive`).catch(() => {});
		}
	}

	/**
	 * Runs Send SMS in Batch with once keys twice: with new keys, and with the same keys again.
	 *
	 * @param before gets the workflow, to change its store before the first run
	 * @param created number of messages that the first run sends
	 */
	async measureKeyed(
		cell: Cell,
		before: (workflow: StoredWorkflow) => void,
		created = cell.items,
	): Promise<{ fresh: Sample; again: Sample }> {
		await this.ready();
		const workflow = await this.n8n.createWorkflow(this.workflowOf('batchKeyed', cell));
		before(await this.n8n.getWorkflow(workflow.id));
		const fresh = await this.execute(workflow, cell, { created });
		const again = await this.execute(workflow, cell, { created: 0 });
		return { fresh, again };
	}

	/** Where a node has kept n8n busy for seconds, n8n takes its database to be gone for a while. */
	private async ready(): Promise<void> {
		for (const end = Date.now() + 120_000; Date.now() < end; await sleep(500)) {
			const answer = await fetch(`${this.n8n.url}/healthz/readiness`).catch(() => undefined);
			if (answer?.ok) return;
		}
		throw new Error('n8n is not ready within two minutes');
	}

	/** The same without the node: what its trigger and its measuring cost. */
	async measureNothing(items: number): Promise<Sample> {
		const cell = { items, latency: 0 } as const;
		const definition = this.workflow(items, { type: 'n8n-nodes-base.noOp', parameters: {} });
		await this.ready();
		const workflow = await this.n8n.createWorkflow(definition);
		return await this.execute(workflow, cell, { created: 0 });
	}

	private async execute(
		workflow: StoredWorkflow,
		{ items, latency }: Pick<Cell, 'items' | 'latency'>,
		expected: Partial<Arrivals>,
	): Promise<Sample> {
		const n8n = this.n8n;
		const server = this.#server;
		const meter = this.#meter;
		// What an earlier run left to do is done.
		await sleep(items >= 1_000 ? 1_000 : 200);
		await server.begin(latency);
		await fetch(`${meter}/reset`);
		const sample = new AbortController();
		try {
			const id = await n8n.startRun(workflow.id);
			const result = (await Promise.race([
				ask(`${meter}/result`, sample.signal),
				this.failure(id, sample.signal),
			])) as Sample;
			const came = await server.arrivals();
			for (const [what, count] of Object.entries(expected)) {
				const found = came[what as keyof Arrivals];
				if (found !== count) throw new Error(`${found} came (${what}), ${count} were due`);
			}
			return result;
		} finally {
			sample.abort();
		}
	}

	/** Looks now and then, so as not to disturb what is measured. @throws {Error} why it failed */
	private async failure(executionId: string, signal: AbortSignal): Promise<never> {
		let wasGone = false;
		for (const end = Date.now() + LONGEST_RUN; Date.now() < end; ) {
			await sleep(5_000, undefined, { signal });
			const executions = await this.n8n.listExecutions();
			const execution = executions.find(({ id }) => id === executionId);
			if (execution !== undefined && !['new', 'running'].includes(execution.status)) {
				const { error } = await this.n8n.getExecution(executionId);
				throw error ?? new Error(`The execution ended: ${execution.status}`);
			}
			if (execution === undefined && wasGone) throw new Error('The execution is gone');
			wasGone = execution === undefined;
		}
		throw new Error('It takes longer than a quarter of an hour');
	}

	private workflowOf(name: CaseName, cell: Cell): WorkflowDefinition {
		const { number, message } = TYPED[cell.fields];
		const { url } = this.#server;
		const own = (node: string, operation: string, parameters: INodeParameters) => ({
			type: `n8n-nodes-sms-service.${node}`,
			parameters: { operation, ...parameters },
			credentials: { smsServiceApi: { id: null, name: 'SMS' } },
		});
		const sms = (operation: string, safeguards: INodeParameters = {}) =>
			own('sms', operation, { number, message, safeguards });
		const keyed = { onceKey: '={{ $json.run }}-{{ $json.order }}' };
		const list = { __rl: true, mode: 'id', value: 'bench' };
		const nodes: Record<CaseName, () => Pick<Node, 'type' | 'parameters'>> = {
			send: () => sms('send'),
			sendBatch: () => sms('sendBatch'),
			sendKeyed: () => sms('send', keyed),
			batchKeyed: () => sms('sendBatch', keyed),
			contactAdd: () => own('smsContact', 'add', { list, number, attributes: ATTRIBUTES }),
			blacklistAdd: () => own('smsBlacklist', 'add', { blacklist: 'unsubscribers', number }),
			listCreate: () => own('smsList', 'create', { name: '=List {{ $json.order }}' }),
			listGet: () =>
				own('smsList', 'get', { list: { ...list, value: '=list-{{ $json.order }}' } }),
			campaignCreate: () =>
				own('smsCampaign', 'create', {
					campaignType: 'notification',
					name: '=Campaign {{ $json.order }}',
					list,
					message,
				}),
			httpRequest: () => ({
				type: 'n8n-nodes-base.httpRequest',
				typeVersion: 4.4,
				parameters: {
					method: 'POST',
					url: url + PATH,
					authentication: 'genericCredentialType',
					genericAuthType: 'httpHeaderAuth',
					sendBody: true,
					bodyParameters: {
						parameters: [
							{ name: 'number', value: number },
							{ name: 'message', value: message },
						],
					},
					options: {},
				},
				credentials: { httpHeaderAuth: { id: null, name: 'Header' } },
			}),
			twilio: () => ({
				type: 'n8n-nodes-base.twilio',
				parameters: { from: '+33639980000', to: number, message, options: {} },
				credentials: { twilioApi: { id: null, name: 'Twilio' } },
			}),
			keyedAgain: () => {
				throw new Error('The second run of the one with keys');
			},
			client: () => {
				throw new Error('The bare client is no node');
			},
		};
		return this.workflow(cell.items, nodes[name]());
	}

	/**
	 * Trigger, items from the meter, the node, and the meter again. The measuring begins when n8n has read the items:
	 * for 50,000 of them, its HTTP Request node alone holds it up for 60 to 160 ms.
	 */
	private workflow(count: number, node: Pick<Node, 'type' | 'parameters'>): WorkflowDefinition {
		const get = (path: string) => ({
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.4,
			parameters: { url: this.#meter + path, options: {} },
		});
		const to = (...names: string[]) => ({
			main: [names.map((name) => ({ node: name, type: 'main' as const, index: 0 }))],
		});
		return {
			name: `Bench ${++this.#runs}`,
			nodes: [
				{ name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} },
				{ name: 'Items', ...get(`/items?count=${count}&run=${this.#runs}`) },
				// Above the next one: its branch comes first.
				{ name: 'Begin', ...get('/begin'), executeOnce: true },
				{ name: 'Measured', ...node },
				{ name: 'End', ...get('/end'), executeOnce: true },
			],
			connections: {
				Start: to('Items'),
				Items: to('Begin', 'Measured'),
				Measured: to('End'),
			},
			// A failed one says why.
			settings: {
				executionOrder: 'v1',
				saveManualExecutions: true,
				saveDataSuccessExecution: 'none',
			},
		};
	}
}

/** The least that any client has to do, in this process. */
export async function measureClient(server: Server, cell: Cell): Promise<Sample> {
	await server.begin(cell.latency);
	const agent = new Agent({ keepAlive: true, maxSockets: connectionsOf(cell) });
	const rssBefore = process.memoryUsage.rss();
	const cpu = process.cpuUsage();
	const started = performance.now();
	let next = 0;
	const worker = async () => {
		while (next < cell.items) {
			const order = next++;
			await post(server.url + PATH, agent, {
				number: `+3363998${String(order % 10_000).padStart(4, '0')}`,
				message: `Order ${order} has been shipped`,
			});
		}
	};
	await Promise.all(Array.from({ length: connectionsOf(cell) }, worker));
	const wallMs = performance.now() - started;
	const { user, system } = process.cpuUsage(cpu);
	agent.destroy();
	const rssPeak = process.memoryUsage.rss();
	return { wallMs, cpuMs: (user + system) / 1_000, stallMs: 0, rssBefore, rssPeak };
}

async function post(url: string, agent: Agent, body: object): Promise<void> {
	await new Promise<void>((resolve, reject) => {
		const headers = { 'Content-Type': 'application/json', 'X-Service-ApiKey': KEY };
		const sent = request(url, { method: 'POST', agent, headers }, (response) => {
			let text = '';
			response.setEncoding('utf8');
			response.on('data', (part: string) => (text += part));
			response.on('end', () => {
				JSON.parse(text);
				resolve();
			});
			response.on('error', reject);
		});
		sent.on('error', reject);
		sent.end(JSON.stringify(body));
	});
}

/** A GET that may be answered late. */
async function ask(url: string, signal: AbortSignal): Promise<unknown> {
	return await new Promise((resolve, reject) => {
		const asked = request(url, { signal }, (response) => {
			let text = '';
			response.setEncoding('utf8');
			response.on('data', (part: string) => (text += part));
			response.on('end', () => resolve(JSON.parse(text)));
		});
		asked.on('error', reject);
		asked.end();
	});
}
