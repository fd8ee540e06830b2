import {
	sleep,
	type IExecutePaginationFunctions,
	type IExecuteSingleFunctions,
	type IHttpRequestOptions,
	type INodeExecutionData,
	type INodePropertyRouting,
} from 'n8n-workflow';
import { Connection, countryOf } from '../http/connection';
import type { RequestOptions } from '../http/request';
import { splitEndpoint } from '../service/endpoint';
import { logOf } from './custom';
import { isManual } from './manual';
import { NodeItem, type ItemSource } from './NodeItem';
import type { Definition, Prepared } from './operation';
import type { Report } from './report';
import { Run } from './Run';
import { inSlices } from './slices';

/**
 * The routing of an operation. The router of n8n sends all items at once and forgets everything at the
 * first failure; its pagination hook is the one place where a request can be held back, so that each
 * operation goes through it: the items register while the router's loop runs, and when all of them are
 * there, they are one run.
 */
export function routed<P extends Prepared>(definition: Definition<P>): INodePropertyRouting {
	/** By the input of a try, which is one object for all of its items. */
	const runs = new WeakMap<object, RoutedRun<P>>();
	return {
		...(definition.request === undefined ? {} : { request: splitEndpoint(definition.request) }),
		send: {
			paginate: true,
			preSend: [
				async function (this: IExecuteSingleFunctions, request: IHttpRequestOptions) {
					const { key } = inputOf(this);
					let run = runs.get(key);
					if (run === undefined || run.isOver || run.has(this.getItemIndex())) {
						run = new RoutedRun(this, definition);
						runs.set(key, run);
					}
					run.register(this);
					return request;
				},
			],
		},
		operations: {
			async pagination(this: IExecutePaginationFunctions) {
				return await runs.get(inputOf(this).key)!.resultOf(this.getItemIndex());
			},
		},
	};
}

/** One try of a node that n8n's router runs: brings its items together again. */
class RoutedRun<P extends Prepared> {
	/** By item index. */
	private readonly contexts = new Map<number, IExecuteSingleFunctions>();
	private readonly total: number | undefined;
	private readonly continues: boolean;
	private readonly now = Date.now();
	private report?: Promise<Report>;
	private over = false;
	private announceComplete: () => void = () => {};
	private readonly complete = new Promise<void>((resolve) => (this.announceComplete = resolve));

	constructor(
		private readonly context: IExecuteSingleFunctions,
		private readonly definition: Definition<P>,
	) {
		this.total = inputOf(context).items?.length;
		this.continues = context.continueOnFail();
	}

	/** Its results are there: an item that comes now belongs to the next try. */
	get isOver(): boolean {
		return this.over;
	}

	has(index: number): boolean {
		return this.contexts.has(index);
	}

	register(context: IExecuteSingleFunctions): void {
		this.contexts.set(context.getItemIndex(), context);
		if (this.contexts.size === this.total) this.announceComplete();
	}

	/**
	 * The items of one item; resolves when the whole run is settled.
	 *
	 * @throws the error of the run, for the item that it is about: the router throws what the first
	 *   rejected item gives, and adds that item's index
	 */
	async resultOf(index: number): Promise<INodeExecutionData[]> {
		const { results, error, errorIndex } = await (this.report ??= this.finish());
		if (error !== undefined && index === errorIndex) throw error;
		return results.get(index) ?? [];
	}

	private async finish(): Promise<Report> {
		await this.allRegistered();
		const { context, definition, now } = this;
		const connection = await Connection.open(
			context,
			context.getNodeParameter('requestOptions', {}) as RequestOptions,
		);
		const run = new Run(
			{
				node: context.getNode(),
				continues: this.continues,
				runIndex: runIndexOf(context),
				isTool: inputOf(context).isTool,
				memory: context.getContext('node'),
				signal: context.getExecutionCancelSignal(),
				connection,
				context: undefined,
				isManual: isManual(context),
				log: logOf(context),
			},
			definition,
		);
		const contextOf = (index: number) => this.contexts.get(index)!;
		const items = inputOf(context).items ?? [];
		const source: ItemSource = {
			node: context.getNode(),
			country: countryOf(connection),
			timeZone: context.getTimezone(),
			now,
			parameter: (index, name, fallback) =>
				contextOf(index).getNodeParameter(name, fallback) as unknown,
			chosen: (index, name) =>
				contextOf(index).getNodeParameter(name, '', { extractValue: true }),
			evaluate: (index, text) => contextOf(index).evaluateExpression(text, index),
			file: async (...file) => await context.helpers.prepareBinaryData(...file),
		};
		await inSlices(this.contexts.keys(), (index) =>
			run.register(new NodeItem(source, index, items[index]?.json ?? {})),
		);
		const report = await run.finish();
		this.over = true;
		return report;
	}

	/**
	 * The router's loop is synchronous, unless a batch interval makes it pause. An item whose
	 * expression n8n itself can't evaluate never registers: without "Continue on fail" the router then
	 * throws, nobody listens any more, and this waits for ever, which is what keeps the other items
	 * from being sent. With it, the loop goes on, and its end has to be found by time.
	 */
	private async allRegistered(): Promise<void> {
		if (this.total === undefined) return await sleep(0);
		if (!this.continues) return await this.complete;
		const { batching } = this.context.getNodeParameter('requestOptions', {}) as {
			batching?: { batch?: { batchSize?: number; batchInterval?: number } };
		};
		const interval = Math.max(batching?.batch?.batchInterval ?? 0, 0);
		const size = Math.max(batching?.batch?.batchSize ?? 1, 1);
		const pauses = interval > 0 ? Math.ceil(this.total / size) : 1;
		let known = -1;
		for (let pause = 0; this.contexts.size < this.total; pause++) {
			if (pause >= pauses && known === this.contexts.size) return;
			known = this.contexts.size;
			await sleep(interval > 0 ? interval + 10 : 0);
		}
	}
}

/** What n8n's single-item context has without declaring it. */
interface Undeclared {
	inputData?: Record<string, Array<INodeExecutionData[] | null> | undefined>;
	runIndex?: number;
}

/**
 * The input of this try. The object is the same for all items and stays the same for each Retry On
 * Fail. Where an agent invokes the node as a tool, its arguments are the input.
 */
function inputOf(context: IExecuteSingleFunctions & Undeclared) {
	const { inputData } = context;
	const input = inputData?.main ?? inputData?.ai_tool;
	return {
		key: inputData ?? context.getExecuteData(),
		items: input?.[0] ?? undefined,
		isTool: inputData?.main === undefined && inputData?.ai_tool !== undefined,
	};
}

function runIndexOf({ runIndex }: IExecuteSingleFunctions & Undeclared): number {
	return runIndex ?? 0;
}
