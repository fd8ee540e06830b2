import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Endpoint, PathValues } from '../service/endpoint';
import { InputError } from '../service/InputError';

/** A request of the service. */
export interface ServiceRequest extends Pick<IHttpRequestOptions, 'qs' | 'body'> {
	endpoint: Endpoint;
	/** Values for the braces of the endpoint. */
	path?: PathValues;
}

/** n8n's options of every declarative node; custom operations honour them themselves. */
export interface RequestOptions {
	timeout?: number;
	proxy?: string;
}

/** Part of every request, and every node's `requestDefaults`. */
export const REQUEST_DEFAULTS = {
	json: true,
	/** The answer is judged here, whatever its status. */
	ignoreHttpStatusErrors: true,
} as const;

/**
 * The proxy of the request options, also without its scheme. n8n itself ignores one that it can't use, and
 * sends directly.
 *
 * @throws InputError without the value, which can hold a password
 */
export function parseProxy(typed: unknown): IHttpRequestOptions['proxy'] {
	const text = String(typed).trim();
	// A port shows that it is meant as an address.
	const proxy = /^[^/]+:\d+\/?$/.test(text) ? `http://${text}` : text;
	if (!/^https?:\/\//i.test(proxy) || !URL.canParse(proxy)) {
		throw new InputError(
			"'Proxy' in the settings of the node is not the address of an HTTP proxy",
			'Write it like http://proxy.example.com:3128. Other kinds, such as SOCKS, are not supported.',
		);
	}
	const { hostname, port, protocol, username, password } = new URL(proxy);
	return {
		host: hostname,
		port: Number(port) || (protocol === 'https:' ? 443 : 80),
		protocol: protocol.replace(/:$/, ''),
		...(username ? { auth: { username, password } } : {}),
	};
}
