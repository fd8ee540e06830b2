import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { addressOf, type Endpoint, type PathValues } from '../service/endpoint';
import { InputError, show } from '../service/InputError';

/** A request of the service. */
export interface ServiceRequest extends Pick<IHttpRequestOptions, 'qs' | 'body'> {
	endpoint: Endpoint;
	/** What stands in the braces of the endpoint. */
	path?: PathValues;
}

/** As n8n's request helper takes it. */
export function toWire({ endpoint, path, ...request }: ServiceRequest): IHttpRequestOptions {
	return { ...request, ...addressOf(endpoint, path) };
}

/** What n8n adds to the Options of every declarative node; custom operations honour it themselves. */
export interface RequestOptions {
	timeout?: number;
	proxy?: string;
}

/** What every request has, and every node's `requestDefaults`. */
export const REQUEST_DEFAULTS = {
	json: true,
	/** The answer is judged here, whatever its status. */
	ignoreHttpStatusErrors: true,
} as const;

/** As n8n's router reads the Proxy option. */
export function parseProxy(proxy: string): IHttpRequestOptions['proxy'] {
	if (!URL.canParse(proxy)) {
		throw new InputError(
			`'Proxy' is not a web address: ${show(proxy)}`,
			'Write it like http://proxy.example.com:3128.',
		);
	}
	const { hostname, port, protocol, username, password } = new URL(proxy);
	return {
		host: hostname,
		port: Number(port),
		protocol: protocol.replace(/:$/, ''),
		...(username ? { auth: { username, password } } : {}),
	};
}

/** The request options of a custom operation, as the router would read them. */
export function readRequestOptions(context: {
	getNodeParameter(name: string, itemIndex: number, fallback?: unknown): unknown;
}): RequestOptions {
	return (context.getNodeParameter('requestOptions', 0, {}) ??
		{}) as IDataObject as RequestOptions;
}
