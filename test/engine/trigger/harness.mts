/**
 * Runs the trigger as n8n runs a poll trigger: activation, scheduled polls, restarts, manual runs, with
 * what n8n saves at which moment (n8n 2.41: ActiveWorkflowTriggers, PollTriggerExecutor,
 * TriggerExecutionContextFactory). The context is n8n's own PollContext.
 */
import type {
	IDataObject,
	INode,
	INodeParameters,
	INodeType,
	IPollFunctions,
	Workflow,
} from 'n8n-workflow';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Simulator } from '../../simulator/index.mts';
import { additionalData, core, loadNode, makeNode, workflow as n8n } from '../harness.mts';

/** The time moves on by a minute from one scheduled poll to the next, as at the shortest interval. */
let minutes = 0;
/** The time without that, for the simulator: its messages move on when a test says so. */
export const now = Date.now.bind(Date);
Date.now = () => now() + minutes * 60_000;

/** Lets hours pass without a poll. */
export function passHours(hours: number): void {
	minutes += hours * 60;
}

const { description } = loadNode('SmsTrigger');

const require = createRequire(import.meta.url);
const FOLDER = join(import.meta.dirname, '../../../dist/nodes/SmsTrigger/');

/** The trigger in a process that has just begun: its modules remember nothing. */
function loadAnew() {
	for (const file of Object.keys(require.cache)) {
		if (file.startsWith(FOLDER)) delete require.cache[file];
	}
	return makeNode('SmsTrigger');
}

/**
 * How n8n keeps the state of a trigger.
 * - `usual`: the static data of the active workflow is in memory; saved at activation and with events.
 * - `scheduler`: its scheduler for polls loads static data from the database for each poll (settings
 *   N8N_SCHEDULER_ENABLED, N8N_SCHEDULER_POLL_TRIGGERS_ENABLED and N8N_USE_WORKFLOW_PUBLICATION_SERVICE);
 *   saved at activation and with events.
 * - `durable`: durable cursors on top of that; saved with events, in one transaction with the execution,
 *   and by polls without, but for the one at activation.
 */
export type Keeping = 'usual' | 'scheduler' | 'durable';

/** For `describe.each`: each way in which n8n keeps state. */
export const KEEPINGS: Array<[string, Keeping]> = [
	['as usual', 'usual'],
	["with n8n's scheduler", 'scheduler'],
	['with durable cursors', 'durable'],
];

let workflows = 0;

export interface HostOptions {
	parameters: INodeParameters;
	/** Where the service is. */
	simulator?: Pick<Simulator, 'baseUrl' | 'apiKey'>;
	/** Default: `usual`. */
	keeping?: Keeping;
	/** Another trigger of the same workflow. */
	beside?: Host;
	/** Answers instead of a service on a socket, where speed counts. */
	answer?: (url: string, qs: IDataObject) => Answer | Promise<Answer>;
	/** Static data of a workflow that was imported. */
	staticData?: IDataObject;
	/** How long a poll may take, in ms. */
	budget?: number;
}

type Answer = { statusCode: number; body: unknown };
type Item = IDataObject & { event: string; eventId: string };
type ActivationMode = 'activate' | 'update' | 'init';

/** An error as n8n sees it. */
export type TriggerError = Error & {
	description?: string;
	httpCode?: string;
	failure?: IDataObject;
};

/** A workflow as n8n has it. */
interface StoredWorkflow {
	id: string;
	/** Its static data in the database. */
	staticData: IDataObject;
	/** Its triggers. */
	hosts: Host[];
	/** The workflow in memory, while it is active. */
	active?: Workflow;
}

/** One workflow with the trigger, in an n8n that can be restarted. */
export class Host {
	/** The durable cursor of the node as the database has it. */
	cursor: IDataObject | undefined;
	/** All items that polls gave so far, in order. */
	readonly items: Item[] = [];
	/** Errors that n8n stores as failed executions. */
	readonly errors: TriggerError[] = [];
	readonly log: Array<{ level: string; message: string }> = [];
	parameters: INodeParameters;
	credentialId = '1';
	/** The values of the credential. */
	credential: IDataObject;
	nodeName = 'SMS Trigger';
	/** How often the credential was read. */
	reads = 0;
	private readonly keeping: Keeping;
	private readonly options: HostOptions;
	private readonly workflow: StoredWorkflow;
	private readonly nodeId: string;
	private trigger: INodeType;
	/** How the workflow was activated. */
	private mode: ActivationMode = 'activate';

	constructor(options: HostOptions) {
		this.options = options;
		this.keeping = options.keeping ?? 'usual';
		this.parameters = options.parameters;
		this.workflow = options.beside?.workflow ?? {
			id: `workflow ${++workflows}`,
			staticData: options.staticData ?? {},
			hosts: [],
		};
		const number = this.workflow.hosts.push(this);
		this.nodeId = `trigger ${number}`;
		if (number > 1) this.nodeName += ` ${number}`;
		this.trigger = options.beside?.trigger ?? loadAnew();
		const { baseUrl = 'http://localhost', apiKey = 'key-of-account-1' } =
			options.simulator ?? {};
		this.credential = { baseUrl, apiKey };
	}

	/** The workflow's static data as the database has it. */
	get database(): IDataObject {
		return this.workflow.staticData;
	}

	set database(staticData: IDataObject) {
		this.workflow.staticData = staticData;
	}

	/**
	 * The poll at activation.
	 *
	 * @param isTogether with another trigger of the workflow, which was activated just before
	 * @throws what it throws: the workflow is then not active
	 */
	async activate(
		mode: ActivationMode = 'activate',
		isTogether = mode === 'activate' && this.options.beside !== undefined,
	): Promise<Item[]> {
		const workflow = (isTogether ? this.workflow.active : undefined) ?? this.load();
		const before = this.items.length;
		this.mode = mode;
		await this.run(workflow, mode, true);
		this.workflow.active = workflow;
		this.save(workflow);
		return this.items.slice(before);
	}

	/** Activation, and the first scheduled poll. */
	async begin(): Promise<this> {
		await this.activate();
		await this.poll();
		return this;
	}

	deactivate(): void {
		this.workflow.active = undefined;
	}

	/** n8n ends without warning and starts again. Its scheduler does not poll then. */
	async restart(): Promise<Item[]> {
		this.workflow.active = undefined;
		const trigger = loadAnew();
		for (const host of this.workflow.hosts) host.trigger = trigger;
		if (this.keeping === 'usual') return await this.activate('init');
		this.workflow.active = this.load();
		return [];
	}

	/** Other parameters are saved in an active workflow. */
	async edit(parameters: INodeParameters): Promise<Item[]> {
		this.parameters = parameters;
		return await this.activate('update');
	}

	/** A scheduled poll. @returns its items; errors are in `errors` */
	async poll(): Promise<Item[]> {
		minutes++;
		return await this.pollNow();
	}

	/** A scheduled poll that comes at the same time as the last one. */
	async pollNow(): Promise<Item[]> {
		if (!this.workflow.active) throw new Error('The workflow is not active');
		// The scheduler loads the workflow for each poll.
		const isScheduled = this.keeping !== 'usual';
		const workflow = isScheduled ? this.load() : this.workflow.active;
		const before = this.items.length;
		try {
			await this.run(workflow, isScheduled ? 'update' : this.mode, false);
		} catch (error) {
			this.errors.push(error as TriggerError);
		}
		return this.items.slice(before);
	}

	/**
	 * A poll whose result n8n doesn't save, as when the workflow is deactivated meanwhile: the next one
	 * runs from the same stored state.
	 * @returns the items that nobody got; none where it failed
	 */
	async rehearse(): Promise<Item[]> {
		const { database, cursor, workflow } = this;
		const { active } = workflow;
		const items = this.items.length;
		// The same workflow in memory, what it has not saved included.
		const { staticData } = active as unknown as { staticData: IDataObject };
		workflow.active = this.load(plain(staticData));
		await this.poll();
		workflow.active = active;
		Object.assign(this, { database, cursor });
		return this.items.splice(items);
	}

	/** Polls until `count` polls in a row gave nothing. @returns all items */
	async drain(count = 1): Promise<Item[]> {
		const before = this.items.length;
		for (let quiet = 0; quiet < count; ) {
			quiet = (await this.poll()).length === 0 ? quiet + 1 : 0;
		}
		return this.items.slice(before);
	}

	/** "Fetch Test Event". */
	async fetchTestEvent(): Promise<Item[]> {
		const workflow = this.load();
		const context = this.context(workflow, 'manual', 'manual');
		const output = await this.trigger.poll!.call(context);
		return (output?.[0] ?? []).map(({ json }) => json as Item);
	}

	/** The state of the trigger, wherever n8n keeps it. */
	get state(): unknown {
		if (this.keeping === 'durable') return this.cursor?.state;
		const isInMemory = this.keeping === 'usual' && this.workflow.active;
		const workflow = isInMemory ? this.workflow.active! : this.load();
		return workflow.getStaticData('global')[`smsTrigger:${this.nodeId}`];
	}

	/** Puts a state where n8n has that of the trigger. */
	set state(state: unknown) {
		if (this.keeping === 'durable') this.cursor = { state } as IDataObject;
		else this.database = { global: { [`smsTrigger:${this.nodeId}`]: state } } as IDataObject;
	}

	/** The size of the state, as JSON. */
	get stateBytes(): number {
		return JSON.stringify(this.state).length;
	}

	private node(): INode {
		const node: INode = {
			id: this.nodeId,
			name: this.nodeName,
			type: 'n8n-nodes-sms-service.smsTrigger',
			typeVersion: 1,
			position: [0, 0],
			parameters: this.parameters,
			credentials: { smsServiceApi: { id: this.credentialId, name: 'SMS' } },
		};
		// As n8n does when a workflow is loaded: parameters left at their defaults are filled in.
		const { properties } = description;
		const fill = n8n.NodeHelpers.getNodeParameters;
		const parameters = fill(properties, this.parameters, true, false, node, description);
		return { ...node, parameters: parameters ?? {} };
	}

	private load(staticData = this.database): Workflow {
		return new n8n.Workflow({
			id: this.workflow.id,
			name: 'Workflow',
			nodes: this.workflow.hosts.map((host) => host.node()),
			connections: {},
			active: true,
			nodeTypes: {
				getByName: () => this.trigger,
				getByNameAndVersion: () => this.trigger,
				getKnownTypes: () => ({}),
			},
			staticData: structuredClone(staticData),
			settings: { timezone: 'Europe/Paris' },
		});
	}

	private async run(workflow: Workflow, mode: ActivationMode, isActivation: boolean) {
		if (this.keeping !== 'durable') {
			const context = this.context(workflow, 'trigger', mode);
			const output = await this.trigger.poll!.call(context);
			if (output === null) return;
			this.save(workflow);
			this.emit(output);
			return;
		}
		const node = workflow.getNode(this.nodeName)!;
		this.cursor ??= structuredClone(plain(workflow.getStaticData('node', node)));
		const seed = this.cursor;
		const snapshot = structuredClone(seed);
		const context = this.context(workflow, 'trigger', mode, snapshot);
		const output = await this.trigger.poll!.call(context);
		if (output === null && isActivation) return;
		if (!isDeepStrictEqual(snapshot, seed)) this.cursor = plain(snapshot);
		if (output === null) return;
		this.save(workflow);
		this.emit(output);
	}

	private context(
		workflow: Workflow,
		mode: 'trigger' | 'manual',
		activation: ActivationMode | 'manual',
		snapshot?: IDataObject,
	): IPollFunctions {
		const { answer, budget = 300_000 } = this.options;
		const node = workflow.getNode(this.nodeName)!;
		const data = additionalData({ credential: this.credential });
		const { credentialsHelper } = data;
		const read = credentialsHelper.getDecrypted.bind(credentialsHelper);
		credentialsHelper.getDecrypted = async (...args) => {
			this.reads++;
			return await read(...args);
		};
		const context = new core.PollContext(
			workflow,
			node,
			data,
			mode,
			activation,
			undefined,
			(error) => this.errors.push(error as TriggerError),
			undefined,
			undefined,
			snapshot ? () => snapshot : undefined,
			() => budget,
		);
		if (answer) {
			context.helpers.httpRequestWithAuthentication = async (_, { url, qs }) => ({
				headers: {},
				...(await answer(url, qs ?? {})),
			});
		}
		const levels = ['debug', 'info', 'warn', 'error'].map((level) => {
			return [level, (message: string) => this.log.push({ level, message })];
		});
		Object.defineProperty(context, 'logger', { value: Object.fromEntries(levels) });
		return context;
	}

	private emit(output: Awaited<ReturnType<NonNullable<INodeType['poll']>>>): void {
		for (const { json } of output![0]) this.items.push(plain(json) as Item);
	}

	/** n8n writes static data when something in it was set. */
	private save(workflow: Workflow): void {
		const { staticData } = workflow as unknown as { staticData: IDataObject };
		if (staticData.__dataChanged !== true) return;
		this.database = plain(staticData);
		(staticData as { __dataChanged: boolean }).__dataChanged = false;
	}
}

/** A copy by way of JSON. */
function plain<T>(value: T): T {
	return JSON.parse(JSON.stringify(value)) as T;
}

export const texts = (items: IDataObject[]) => items.map(({ message }) => message);

/** A number that nobody else uses in the tests: 06 39 98 and so on, reserved for fiction in France. */
export function phone(index: number): string {
	return `+336399${String(80_000 + index).padStart(5, '0')}`;
}
