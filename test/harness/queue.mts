/** n8n's queue mode: a main that takes webhooks and polls, workers that run executions. */
import axios from 'axios';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type N8n, startN8n } from './n8n.mts';
import { installTarball, packTarball } from './package.mts';
import { freePort, Installation, type Program, startN8nProgram } from './process.mts';
import { type Server, startPostgres, startRedis } from './servers.mts';

export interface QueueOptions {
	/** How many workers. Default 2. */
	workers?: number;
	/** Added to the environment of the main and of the workers. */
	env?: Record<string, string>;
}

/** A worker, with the project installed as a community package. */
export class Worker {
	readonly #installation: Installation;
	readonly #env: Record<string, string>;
	#userFolder = '';
	#program: Program | undefined;

	constructor(installation: Installation, env: Record<string, string>) {
		this.#installation = installation;
		this.#env = env;
	}

	/** All that it has written so far, over restarts. */
	get log(): string {
		return this.#userFolder ? readFileSync(this.#logFile, 'utf8') : '';
	}

	/** The id of its process; 0 when none runs. */
	get pid(): number {
		return this.#program?.pid ?? 0;
	}

	/** The ids of the executions that it has begun. */
	get executions(): string[] {
		return [...this.log.matchAll(/Worker started execution (\w+)/g)].map(([, id]) => id);
	}

	get #logFile(): string {
		return join(this.#userFolder, 'log');
	}

	/**
	 * Starts it, after `kill` too, and waits until it takes executions.
	 *
	 * @param env added to its environment, this time
	 */
	async start(env: Record<string, string> = {}): Promise<void> {
		if (!this.#userFolder) {
			this.#userFolder = await mkdtemp(join(tmpdir(), 'n8n-worker-'));
			await installTarball(this.#userFolder, await packTarball());
		}
		const port = await freePort();
		this.#program = await startN8nProgram({
			installation: this.#installation,
			args: ['worker', '--concurrency=5'],
			userFolder: this.#userFolder,
			temporary: true,
			logFile: this.#logFile,
			env: {
				QUEUE_HEALTH_CHECK_ACTIVE: 'true',
				QUEUE_HEALTH_CHECK_PORT: String(port),
				N8N_RUNNERS_BROKER_PORT: String(await freePort()),
				...this.#env,
				...env,
			},
		});
		const ready = `http://127.0.0.1:${port}/healthz/readiness`;
		for (const end = Date.now() + 120_000; Date.now() < end; await sleep(200)) {
			const answer = await axios.get(ready, { proxy: false }).catch(() => undefined);
			if (answer?.status === 200) return;
		}
		throw new Error(`The worker did not start within 2 minutes:\n${this.log.slice(-4_000)}`);
	}

	/** Ends it as `systemctl stop` would, and removes its folder. */
	async stop(): Promise<void> {
		await this.kill('SIGTERM');
		if (this.#userFolder)
			await rm(this.#userFolder, { recursive: true, force: true, maxRetries: 5 });
	}

	/** Sends it a signal and waits for its end. Its folder stays. */
	async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
		const running = this.#program;
		this.#program = undefined;
		await running?.end(signal);
	}
}

/** A running n8n in queue mode; end it with `stop()`. It ends with this process in any case. */
export class Queue {
	readonly main: N8n;
	readonly workers: Worker[];
	readonly #servers: Server[];

	private constructor(main: N8n, workers: Worker[], servers: Server[]) {
		this.main = main;
		this.workers = workers;
		this.#servers = servers;
	}

	static async start({ workers = 2, env }: QueueOptions = {}): Promise<Queue> {
		// One after the other: what is missing is installed, which can't be done twice at once.
		const postgres = await startPostgres();
		const redis = await startRedis();
		const shared = {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(postgres.port),
			DB_POSTGRESDB_DATABASE: 'postgres',
			DB_POSTGRESDB_USER: 'n8n',
			EXECUTIONS_MODE: 'queue',
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(redis.port),
			// A dead worker is noticed sooner than after the usual minute.
			QUEUE_WORKER_LOCK_DURATION: '20000',
			QUEUE_WORKER_STALLED_INTERVAL: '5000',
			N8N_ENCRYPTION_KEY: 'one-key-for-the-main-and-all-workers',
			// So that whatever is looked for in the logs would be there.
			N8N_LOG_LEVEL: 'debug',
			GENERIC_TIMEZONE: 'Europe/Paris',
			...env,
		};
		// The main makes the tables.
		const main = await startN8n({ env: shared });
		const installation = new Installation('n8n');
		const queue = new Queue(
			main,
			Array.from({ length: workers }, () => new Worker(installation, shared)),
			[postgres, redis],
		);
		try {
			await Promise.all(queue.workers.map(async (worker) => await worker.start()));
			return queue;
		} catch (error) {
			await queue.stop();
			throw error;
		}
	}

	/** The output of the main and all workers. */
	get log(): string {
		return [this.main, ...this.workers].map(({ log }) => log).join('\n');
	}

	/** Ends all of it. */
	async stop(): Promise<void> {
		await Promise.all(this.workers.map(async (worker) => await worker.stop()));
		await this.main.stop();
		for (const server of this.#servers) await server.stop();
	}
}
