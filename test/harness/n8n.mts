import axios, { type AxiosInstance, type AxiosResponse } from 'axios';
import type {
	ExecutionStatus,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	IRunExecutionData,
	IWorkflowBase,
} from 'n8n-workflow';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { installTarball, packTarball, readManifest } from './package.mts';
import { freePort, Installation, type Program, startN8nProgram } from './process.mts';

// For all requests to n8n: it ends kept connections that were idle while a large execution kept it busy.
axios.defaults.httpAgent = new Agent({ keepAlive: false });
axios.defaults.proxy = false;

/** The owner that each instance gets. */
export const owner = {
	email: 'owner@sms-service.example',
	firstName: 'Ada',
	lastName: 'Owner',
	password: 'Sms-service-2026',
};

export interface N8nOptions {
	/** Which n8n: a folder beside this file. Default `n8n`, the newest. */
	install?: string;
	/** n8n's user folder; kept when the instance stops. Default: a temporary one, removed. */
	userFolder?: string;
	/** Default: a free one. */
	port?: number;
	/** Added to n8n's environment. */
	env?: Record<string, string>;
	/** The tarball to install as a community package. Default: one of this project. */
	tarball?: string;
	/** How much `log` gets. Default `info`. */
	logLevel?: 'info' | 'debug';
}

/** A workflow as n8n's editor exports it. Credentials may have a name only. */
export interface WorkflowDefinition {
	name: string;
	nodes: Array<Partial<INode> & Pick<INode, 'name' | 'type' | 'parameters'>>;
	connections: IWorkflowBase['connections'];
	settings?: IWorkflowBase['settings'];
	pinData?: IWorkflowBase['pinData'];
}

export interface StoredWorkflow extends IWorkflowBase {
	versionId: string;
}

export interface ExecutionSummary {
	id: string;
	workflowId: string;
	mode: string;
	status: ExecutionStatus;
	finished: boolean;
	startedAt: string;
	stoppedAt?: string;
	retrySuccessId?: string;
}

/** When a trigger polls: n8n takes no rule below a minute, but many rules. @param seconds a divisor of 60 */
export function pollEvery(seconds: number): INodeParameters {
	return {
		item: Array.from({ length: 60 / seconds }, (_, index) => ({
			mode: 'custom',
			cronExpression: `${index * seconds} * * * * *`,
		})),
	};
}

/** An execution with all its data, as the executions list of the editor shows it. */
export class Execution {
	readonly id: string;
	readonly status: ExecutionStatus;
	readonly summary: ExecutionSummary;
	readonly data: IRunExecutionData;

	constructor(summary: ExecutionSummary, data: IRunExecutionData) {
		this.id = summary.id;
		this.status = summary.status;
		this.summary = summary;
		this.data = data;
	}

	/**
	 * @param node the node's name
	 * @param output its output: 0 is the first one
	 * @param run its run, for a node in a loop: 0 is the first one
	 * @returns the items that left the node, pairing and binary data included
	 */
	items(node: string, output = 0, run = 0): INodeExecutionData[] {
		return this.data.resultData.runData[node]?.[run]?.data?.main[output] ?? [];
	}

	/** As `items`, the JSON of each item. */
	json(node: string, output = 0, run = 0): IDataObject[] {
		return this.items(node, output, run).map((item) => item.json);
	}

	/** n8n 1.123 with SQLite writes the status first and the data in a second statement. */
	get isHalfWritten(): boolean {
		const ended = ['success', 'error'].includes(this.status);
		return ended && !this.error && Object.keys(this.data.resultData.runData).length === 0;
	}

	/** The error that stopped the execution: `message`, `description` and so on; undefined when nothing did. */
	get error(): IRunExecutionData['resultData']['error'] {
		return this.data.resultData.error;
	}
}

export interface HealthReport {
	/** How often n8n was asked. */
	checks: number;
	/** How often it did not answer, or not with 200. */
	failures: number;
	/** The slowest answer, in milliseconds. */
	slowestMs: number;
}

/**
 * Starts a real n8n with the project installed as a community package, and logs its owner in.
 *
 * @param options see `N8nOptions`
 * @returns the running instance; end it with `stop()`. It ends with this process in any case.
 * @throws {Error} with the end of n8n's log when it does not start
 */
export async function startN8n(options: N8nOptions = {}): Promise<N8n> {
	const n8n = new N8n(options);
	try {
		await n8n.start();
	} catch (error) {
		await n8n.stop();
		throw error;
	}
	return n8n;
}

/** Where to find an instance that another process has started: plain data, to be handed over. */
export interface N8nPlace {
	port: number;
	pid: number;
	userFolder: string;
	cookie: string;
}

/**
 * @param place of an instance that another process has started and will end
 * @returns the instance, to work with; ending it throws
 */
export function joinN8n(place: N8nPlace): N8n {
	return new N8n({ userFolder: place.userFolder }, place);
}

/** A real n8n in a process of its own. Made by `startN8n`. */
export class N8n {
	readonly #options: N8nOptions;
	readonly #installation: Installation;
	#userFolder = '';
	#port = 0;
	#process: Program | undefined;
	readonly #credentialIds = new Map<string, string>();
	#cookie = '';
	/** Of an instance that another process ends. */
	readonly #place: N8nPlace | undefined;
	/** What `statusOf` reads, once it was asked. */
	#database: DatabaseSync | undefined;

	/**
	 * n8n's REST interface, as the editor uses it. Answers are unwrapped: `data` is what n8n has
	 * under `data`. Statuses from 400 on throw an Error with n8n's own message.
	 */
	readonly rest: AxiosInstance;

	constructor(options: N8nOptions, place?: N8nPlace) {
		this.#options = options;
		this.#installation = new Installation(options.install ?? 'n8n');
		this.#place = place;
		if (place) {
			this.#userFolder = place.userFolder;
			this.#port = place.port;
			this.#cookie = place.cookie;
		}
		this.rest = axios.create({
			maxContentLength: Infinity,
			maxBodyLength: Infinity,
		});
		this.rest.interceptors.request.use((config) => {
			config.baseURL = `${this.url}/rest`;
			if (this.#cookie) config.headers.set('Cookie', this.#cookie);
			return config;
		});
		this.rest.interceptors.response.use(
			(response) => {
				if (response.data?.data !== undefined) response.data = response.data.data;
				return response;
			},
			(error: { message: string; response?: AxiosResponse; config?: { url?: string } }) => {
				const answer = error.response?.data;
				const reason = typeof answer === 'object' ? answer?.message : answer;
				throw new Error(
					`${error.config?.url}: ${error.response?.status ?? ''} ${reason || error.message}`,
				);
			},
		);
	}

	/** The editor's address. */
	get url(): string {
		return `http://127.0.0.1:${this.#port}`;
	}

	/** As `2.41.1`. */
	get version(): string {
		return this.#installation.version;
	}

	/** The id of n8n's main process; 0 when none runs. */
	get pid(): number {
		return (this.#process ?? this.#place)?.pid ?? 0;
	}

	/** The folder with n8n's database, settings and community packages. */
	get userFolder(): string {
		return this.#userFolder;
	}

	/** All that n8n and its task runner have written so far, over restarts. */
	get log(): string {
		return existsSync(this.#logFile) ? readFileSync(this.#logFile, 'utf8') : '';
	}

	/** The data that `joinN8n` takes. */
	get place(): N8nPlace {
		return {
			port: this.#port,
			pid: this.pid,
			userFolder: this.#userFolder,
			cookie: this.#cookie,
		};
	}

	/** The cookie of the owner's session, as `name=value`. */
	get sessionCookie(): string {
		return this.#cookie;
	}

	/** Starts n8n and waits until it answers; `startN8n` has done it. */
	async start(): Promise<void> {
		const options = this.#options;
		if (!this.#userFolder) {
			this.#userFolder = options.userFolder ?? (await mkdtemp(join(tmpdir(), 'n8n-')));
			await mkdir(this.#userFolder, { recursive: true });
			await rm(this.#logFile, { force: true });
			await installTarball(this.#userFolder, options.tarball ?? (await packTarball()));
		}
		const port = this.#port || options.port || (await freePort());
		this.#port = port;
		await this.#spawn(port);
		await this.#answering();
		await this.#logIn();
		const database = join(this.#userFolder, '.n8n/database.sqlite');
		if (existsSync(database)) await this.#recordPackage(database);
	}

	/** Ends n8n as `systemctl stop` would, and removes the user folder if it is a temporary one. */
	async stop(): Promise<void> {
		await this.#end('SIGTERM');
		if (!this.#options.userFolder && this.#userFolder) {
			await rm(this.#userFolder, { recursive: true, force: true, maxRetries: 5 });
			this.#userFolder = '';
		}
	}

	/** Sends a signal to n8n's main process and waits for its end. The user folder stays. */
	async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
		await this.#end(signal);
	}

	/** Starts n8n again, after `kill` or while it runs, with the same user folder and port. */
	async restart(): Promise<void> {
		await this.#end('SIGTERM');
		await this.start();
	}

	/**
	 * @param type credential type, e.g. `smsServiceApi`
	 * @param name what the editor shows; workflows that name it use it
	 * @param data the credential's fields
	 * @returns its id
	 */
	async createCredential(type: string, name: string, data: IDataObject): Promise<string> {
		const { data: created } = await this.rest.post('/credentials', { type, name, data });
		this.#credentialIds.set(name, created.id);
		return created.id;
	}

	/** Presses the credential's Test button. */
	async testCredential(
		type: string,
		data: IDataObject,
	): Promise<{ status: 'OK' | 'Error'; message: string }> {
		const name = `Test ${Date.now()}`;
		const id = await this.createCredential(type, name, data);
		const { data: result } = await this.rest.post('/credentials/test', {
			credentials: { id, name, type, data },
		});
		await this.rest.delete(`/credentials/${id}`);
		return result;
	}

	/**
	 * Stores a workflow. Nodes without a type version, an id or a position get one. Credentials that
	 * have a name only are found by n8n itself, or here where n8n leaves it to its editor.
	 *
	 * The order of execution is the one of every workflow that the editor makes. In the older one, n8n
	 * runs an agent that asks for a tool before the tool: the model hears an empty answer.
	 */
	async createWorkflow(definition: WorkflowDefinition): Promise<StoredWorkflow> {
		const nodes = definition.nodes.map((node, index) => ({
			id: crypto.randomUUID(),
			typeVersion: 1,
			position: [index * 220, 0],
			...node,
			...(this.#installation.leavesMoreToEditor ? this.#withIds(node.credentials) : {}),
		}));
		const { data } = await this.rest.post('/workflows', {
			...definition,
			settings: { executionOrder: 'v1', ...definition.settings },
			nodes,
			active: false,
		});
		return data;
	}

	/** Replaces a stored workflow's nodes, connections, settings or name. */
	async updateWorkflow(
		id: string,
		changes: Partial<WorkflowDefinition>,
	): Promise<StoredWorkflow> {
		const { data } = await this.rest.patch(`/workflows/${id}`, changes);
		return data;
	}

	async getWorkflow(id: string): Promise<StoredWorkflow> {
		const { data } = await this.rest.get(`/workflows/${id}`);
		return data;
	}

	/**
	 * Publishes a workflow's latest version and waits until its triggers are active.
	 *
	 * @throws {Error} with the trigger's message when it could not be activated
	 */
	async activate(id: string): Promise<void> {
		const { versionId } = await this.getWorkflow(id);
		await this.rest.post(`/workflows/${id}/activate`, { versionId });
		await this.#published(id);
	}

	/** Takes a workflow back and waits until its triggers are gone. */
	async deactivate(id: string): Promise<void> {
		await this.rest.post(`/workflows/${id}/deactivate`, {});
		await this.#published(id);
	}

	/**
	 * Runs a workflow by hand, as the editor's "Execute workflow" does, and waits for its end.
	 *
	 * @param id the workflow
	 * @param options.trigger the trigger to start from; default: the first manual trigger
	 * @param options.timeoutMs default 5 minutes
	 * @throws {Error} when it takes longer; a failed execution is an answer, not an error
	 */
	async run(
		id: string,
		options: { trigger?: string; timeoutMs?: number } = {},
	): Promise<Execution> {
		return await this.waitFor(await this.startRun(id, options.trigger), options.timeoutMs);
	}

	/** As `run`, without waiting. @returns the execution's id */
	async startRun(id: string, trigger?: string): Promise<string> {
		const name = trigger ?? (await this.#manualTrigger(id));
		const { data } = await this.rest.post(`/workflows/${id}/run`, {
			triggerToStartFrom: { name },
			// The workflow that the editor sends is run, or the stored one.
			...(this.#installation.leavesMoreToEditor
				? { workflowData: await this.getWorkflow(id) }
				: {}),
		});
		return data.executionId;
	}

	/** Waits for the end of an execution. @throws {Error} after `timeoutMs` */
	async waitFor(executionId: string, timeoutMs = 300_000): Promise<Execution> {
		const end = Date.now() + timeoutMs;
		for (let pause = 20; Date.now() < end; pause = this.#database ? 20 : pause * 1.5) {
			const status = (await this.statusOf(executionId)) ?? 'unknown';
			if (!['new', 'running', 'waiting', 'unknown'].includes(status)) {
				return await this.getExecution(executionId);
			}
			await sleep(Math.min(pause, 500));
		}
		throw new Error(`Execution ${executionId} did not end within ${timeoutMs} ms`);
	}

	/**
	 * @returns how far an execution has come, undefined where there is none. It is read from n8n's database where that
	 *   can be read beside n8n: each answer of n8n's own takes it some of the time that it has for what it runs.
	 */
	async statusOf(executionId: string): Promise<ExecutionStatus | undefined> {
		const file = join(this.#userFolder, '.n8n/database.sqlite');
		// Without a write-ahead log, as in n8n 1.123, a reader holds up who writes.
		if (!this.#database && existsSync(`${file}-wal`)) {
			this.#database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
		}
		if (!this.#database) return (await this.#summary(executionId))?.status;
		const row = this.#database
			.prepare('SELECT status FROM execution_entity WHERE id = ? AND deletedAt IS NULL')
			.get(executionId);
		return row?.status as ExecutionStatus | undefined;
	}

	/** @returns the newest executions first, 100 at most, of one workflow or of all */
	async listExecutions(workflowId?: string): Promise<ExecutionSummary[]> {
		const filter = JSON.stringify(workflowId ? { workflowId } : {});
		const { data } = await this.rest.get('/executions', { params: { filter, limit: 100 } });
		return data.results;
	}

	async getExecution(id: string): Promise<Execution> {
		for (let tries = 1; ; tries++) {
			const { data: stored } = await this.rest.get(`/executions/${id}`);
			const { data, ...summary } = stored;
			const execution = new Execution(summary, this.#parseFlatted(data) as IRunExecutionData);
			if (!execution.isHalfWritten || tries === 100) return execution;
			await sleep(20);
		}
	}

	/** @returns what a node gave in the executions of a workflow that ended well, the oldest first */
	async jsonOfAll(workflowId: string, node: string): Promise<IDataObject[]> {
		const items: IDataObject[] = [];
		for (const { id, status } of (await this.listExecutions(workflowId)).reverse()) {
			if (status === 'success') items.push(...(await this.getExecution(id)).json(node));
		}
		return items;
	}

	/** Does something that starts an execution of a workflow, alone at its time. @returns the execution's id */
	async begunBy(workflowId: string, work: () => Promise<unknown>): Promise<string> {
		const list = async () => (await this.listExecutions(workflowId)).map(({ id }) => id);
		const before = await list();
		await work();
		// In queue mode, the execution is stored a moment after the answer.
		for (const end = Date.now() + 10_000; Date.now() < end; await sleep(50)) {
			const started = (await list()).find((id) => !before.includes(id));
			if (started !== undefined) return started;
		}
		throw new Error(`No execution of workflow ${workflowId} was started`);
	}

	/**
	 * What "Retry" in the executions list does.
	 *
	 * @param loadWorkflow `true`: with the currently saved workflow; `false`: with the original one
	 * @returns the new execution, ended
	 */
	async retryExecution(id: string, loadWorkflow = false): Promise<Execution> {
		const { data } = await this.rest.post(`/executions/${id}/retry`, { loadWorkflow });
		return await this.waitFor(data.id);
	}

	/** Presses the stop button. */
	async stopExecution(id: string): Promise<void> {
		await this.rest.post(`/executions/${id}/stop`);
	}

	/**
	 * Asks n8n's health check again and again while something runs.
	 *
	 * @param work what is measured
	 * @param intervalMs from one question to the next; an open question does not delay the next one
	 */
	async watchHealth<T>(work: () => Promise<T>, intervalMs = 100): Promise<[T, HealthReport]> {
		const report: HealthReport = { checks: 0, failures: 0, slowestMs: 0 };
		const open = new Set<Promise<void>>();
		const check = async () => {
			const started = performance.now();
			report.checks++;
			const status = await axios
				.get(`${this.url}/healthz`, { proxy: false, timeout: 60_000 })
				.then((answer) => answer.status)
				.catch(() => 0);
			if (status !== 200) report.failures++;
			report.slowestMs = Math.max(report.slowestMs, performance.now() - started);
		};
		const timer = setInterval(() => {
			const question = check().finally(() => open.delete(question));
			open.add(question);
		}, intervalMs);
		try {
			const result = await work();
			clearInterval(timer);
			await Promise.all(open);
			return [result, report];
		} finally {
			clearInterval(timer);
		}
	}

	async #spawn(port: number): Promise<void> {
		this.#process = await startN8nProgram({
			installation: this.#installation,
			args: ['start'],
			userFolder: this.#userFolder,
			temporary: this.#options.userFolder === undefined,
			logFile: this.#logFile,
			env: {
				N8N_PORT: String(port),
				N8N_RUNNERS_BROKER_PORT: String(await freePort()),
				N8N_LOG_LEVEL: this.#options.logLevel ?? 'info',
				GENERIC_TIMEZONE: 'Europe/Paris',
				...this.#options.env,
			},
		});
	}

	/** Waits until the editor's interface answers, which is after the database is migrated. */
	async #answering(): Promise<void> {
		let ended = false;
		void this.#process?.exited.then(() => (ended = true));
		for (const end = Date.now() + 180_000; Date.now() < end; await sleep(100)) {
			if (ended) throw new Error(`n8n ended while it started:\n${this.#tail()}`);
			const settings = await this.rest.get('/settings').catch(() => undefined);
			if (settings?.data?.userManagement) return;
		}
		throw new Error(`n8n did not start within 3 minutes:\n${this.#tail()}`);
	}

	async #logIn(): Promise<void> {
		const { data: settings } = await this.rest.get('/settings');
		const { email: emailOrLdapLoginId, password } = owner;
		const answer = settings.userManagement.showSetupOnFirstLoad
			? await this.rest.post('/owner/setup', owner)
			: await this.rest.post('/login', { emailOrLdapLoginId, password });
		const cookies = answer.headers['set-cookie'] ?? [];
		this.#cookie = cookies.map((cookie) => cookie.split(';')[0]).join('; ');
	}

	/**
	 * Enters the package into n8n's table of installed packages, where its own installer enters them
	 * (`persistPackageWithNodes`): Settings > Community nodes lists the table, not the folder.
	 */
	async #recordPackage(file: string): Promise<void> {
		const { name, version, author } = await readManifest();
		const types = await this.#nodeTypes();
		const own = types.filter((type) => type.name.startsWith(`${name}.`));
		// n8n makes tools for AI agents of the nodes; those are not the package's.
		const nodes = own.filter(
			(type) =>
				!own.some(({ name: base }) =>
					[`${base}Tool`, `${base}HitlTool`].includes(type.name),
				),
		);
		const database = new DatabaseSync(file, { timeout: 10_000 });
		try {
			const now = new Date().toISOString().replace('T', ' ').replace('Z', '');
			database
				.prepare(
					`INSERT OR REPLACE INTO installed_packages
					(packageName, installedVersion, authorName, authorEmail, createdAt, updatedAt)
					VALUES (?, ?, ?, ?, ?, ?)`,
				)
				.run(name, version, author?.name ?? null, author?.email ?? null, now, now);
			const insertNode = database.prepare(
				`INSERT OR REPLACE INTO installed_nodes (name, type, latestVersion, package)
				VALUES (?, ?, 1, ?)`,
			);
			for (const node of nodes) insertNode.run(node.displayName, node.name, name);
		} finally {
			database.close();
		}
	}

	/** The editor's data. n8n writes it while it starts, and may answer other requests before. */
	async #nodeTypes(): Promise<Array<{ name: string; displayName: string }>> {
		for (const end = Date.now() + 60_000; ; await sleep(100)) {
			try {
				return (await this.rest.get(`${this.url}/types/nodes.json`)).data;
			} catch (error) {
				if (Date.now() > end) throw error;
			}
		}
	}

	async #end(signal: NodeJS.Signals): Promise<void> {
		if (this.#place) throw new Error('Others use this n8n too: start one to end it');
		// n8n tidies up behind the last one who has it open.
		this.#database?.close();
		this.#database = undefined;
		const running = this.#process;
		this.#process = undefined;
		await running?.end(signal);
	}

	#withIds(credentials: INode['credentials']): Pick<INode, 'credentials'> {
		const named = Object.entries(credentials ?? {}).map(([type, { id, name }]) => [
			type,
			{ id: id ?? this.#credentialIds.get(name), name },
		]);
		return { credentials: Object.fromEntries(named) };
	}

	async #published(id: string): Promise<void> {
		// It has answered when the triggers were active or gone.
		if (this.#installation.leavesMoreToEditor) return;
		interface Status {
			status: string;
			triggers: Array<{ status: string; errorMessage?: string }>;
		}
		for (const end = Date.now() + 120_000; Date.now() < end; await sleep(100)) {
			const { data } = await this.rest.get<Status>(`/workflows/${id}/publication-status`);
			if (data.status === 'in_progress') continue;
			const failed = data.triggers.find((trigger) => trigger.status === 'failed');
			if (failed) throw new Error(failed.errorMessage);
			return;
		}
		throw new Error(`Workflow ${id} was neither published nor taken back within 2 minutes`);
	}

	async #manualTrigger(id: string): Promise<string> {
		const { nodes } = await this.getWorkflow(id);
		const trigger = nodes.find((node) => node.type === 'n8n-nodes-base.manualTrigger');
		if (!trigger) throw new Error('The workflow has no manual trigger: say where to start');
		return trigger.name;
	}

	/**
	 * An execution without its data: big data is costly to read again and again. n8n lists the current
	 * executions and then the ended ones, so one that ends in between is in neither list. It can't be asked
	 * for one of them: newer ones, such as those of sub-workflows, come first.
	 */
	async #summary(id: string): Promise<ExecutionSummary | undefined> {
		return (await this.listExecutions()).find((summary) => summary.id === id);
	}

	/** Execution data comes flattened, by the library that n8n itself depends on. */
	#parseFlatted(text: string): unknown {
		const requireFromN8n = createRequire(
			realpathSync(join(this.#installation.folder, 'package.json')),
		);
		return requireFromN8n('flatted').parse(text);
	}

	get #logFile(): string {
		return join(this.#userFolder, 'n8n.log');
	}

	#tail(): string {
		return this.log.split('\n').slice(-40).join('\n');
	}
}
