import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	IHttpRequestOptions,
	INode,
} from 'n8n-workflow';
import { addressOf } from '../service/endpoint';
import { authenticateRequest, readAccount, type Account } from './credential';
import { readBody } from './body';
import type { Answer, Failure, Reader } from './failure';
import { judgeAnswer, judgeError, misconfigured } from './judge';
import { parseProxy, REQUEST_DEFAULTS, type RequestOptions, type ServiceRequest } from './request';
import { cleanerOf, receive, type Clean } from './secret';
import { withinLimit } from './timeLimit';

const CREDENTIAL = 'smsServiceApi';
/** As n8n's router has it. Milliseconds. */
const DEFAULT_TIMEOUT = 300_000;

/** The parts of any context of n8n that a connection needs. */
export interface RequestContext {
	helpers: {
		httpRequestWithAuthentication: IAllExecuteFunctions['helpers']['httpRequestWithAuthentication'];
	};
	getCredentials(type: string): Promise<object>;
	getNode(): INode;
	getExecutionCancelSignal?(): AbortSignal | undefined;
}

/** Limits of a request, in milliseconds. */
export interface TimeLimits {
	/** In all, where the node's own, or 300 seconds, isn't less. */
	timeout?: number;
	/** Until the answer begins, and between two pieces of it. By default, the same. */
	silence?: number;
	/** It continues although the execution was cancelled: it finishes what has begun. */
	evenIfCancelled?: boolean;
}

/**
 * The service as one run, one poll or one dropdown sees it. The credential is read once: outside an
 * execution, n8n makes an isolate for its expressions each time, which takes about 50 ms.
 */
export class Connection {
	/** Redacts the API key. */
	readonly clean: Clean;
	readonly account: Account;
	readonly credential: ICredentialsDecrypted;

	private constructor(
		private readonly context: RequestContext,
		data: ICredentialDataDecryptedObject,
		private readonly options: RequestOptions,
		/** The answer to each request where none can be made. */
		readonly problem?: Failure,
	) {
		const { id, name = '' } = context.getNode().credentials?.[CREDENTIAL] ?? {};
		this.credential = { id: id ?? '', name, type: CREDENTIAL, data };
		this.clean = cleanerOf(data.apiKey);
		this.account = readAccount(data);
	}

	/**
	 * Reads the credential. Never throws.
	 *
	 * @param requestOptions what the user set under the node's request options
	 */
	static async open(context: RequestContext, requestOptions?: unknown): Promise<Connection> {
		const options = (requestOptions ?? {}) as RequestOptions;
		let data: ICredentialDataDecryptedObject = {};
		let problem: Failure | undefined;
		try {
			data = (await context.getCredentials(CREDENTIAL)) as ICredentialDataDecryptedObject;
			// The errors of n8n 1.x don't tell a credential that can't be used from a lost answer.
			const { proxy } = options;
			authenticateRequest(data, { url: '/v2', proxy: proxy && parseProxy(proxy) });
		} catch (error) {
			const { message, description } = error as { message?: string; description?: string };
			const clean = cleanerOf(data.apiKey);
			problem = misconfigured(
				clean(message || 'The credential could not be read'),
				clean(description ?? 'Check the credential of the node.'),
			);
		}
		return new Connection(context, data, options, problem);
	}

	/** Makes one request, once, and judges its answer. Never throws. */
	async request<T>(
		{ endpoint, path, qs, body }: ServiceRequest,
		read: Reader<T>,
		limits: TimeLimits = {},
	): Promise<{ value: T } | Failure> {
		if (this.problem !== undefined) return this.problem;
		const { proxy } = this.options;
		const wanted = Number(this.options.timeout);
		const own = wanted > 0 ? wanted : DEFAULT_TIMEOUT;
		const timeout = Math.min(own, limits.timeout ?? own);
		const cancelled = limits.evenIfCancelled
			? undefined
			: this.context.getExecutionCancelSignal?.();
		try {
			const options: IHttpRequestOptions = {
				...REQUEST_DEFAULTS,
				...addressOf(endpoint, path),
				...(qs === undefined ? {} : { qs }),
				...(body === undefined ? {} : asJson(body)),
				returnFullResponse: true,
				encoding: 'stream',
				timeout: limits.silence ?? timeout,
				...(proxy ? { proxy: parseProxy(proxy) } : {}),
			};
			const fetch = async (signal: AbortSignal) => await this.fetch(options, signal);
			const answer = await withinLimit(timeout, fetch, cancelled);
			return await judgeAnswer(await receive(answer, this.clean), read, path);
		} catch (error) {
			return judgeError(error, proxy ? 'proxy' : 'service');
		}
	}

	private async fetch(options: IHttpRequestOptions, signal: AbortSignal): Promise<Answer> {
		const { helpers } = this.context;
		const answer = (await helpers.httpRequestWithAuthentication.call(
			this.contextWith(signal),
			CREDENTIAL,
			options,
			{ credentialsDecrypted: this.credential },
		)) as Answer;
		return await readBody(answer, signal);
	}

	/** n8n takes the signal that ends a request from its context, whatever the request says. */
	private contextWith(signal: AbortSignal): IAllExecuteFunctions {
		return Object.create(this.context, {
			getExecutionCancelSignal: { value: () => signal },
		}) as IAllExecuteFunctions;
	}
}

/** As a text: n8n's HTTP client leaves fields called `constructor`, `prototype` or `__proto__` out of objects. */
function asJson(body: unknown) {
	return { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
}
