/** A request as the interface document writes it: `POST /v2/lists/{listId}/contacts`. */
export type Endpoint = `${'GET' | 'POST' | 'DELETE'} /v2/${string}`;

/** Where a request goes: `url` is a path below the base URL. */
export interface Address {
	method: 'GET' | 'POST' | 'DELETE';
	url: string;
}

/** The values in the braces of an endpoint. */
export type PathValues = Readonly<Record<string, string>>;

/** Method and path of an endpoint, with its braces. */
export function splitEndpoint(endpoint: Endpoint): Address {
	const [method, url] = endpoint.split(' ');
	return { method, url } as Address;
}

/**
 * Fills an endpoint in. The only place where paths are built.
 *
 * @param values by the names in braces; they are URL-encoded
 * @throws {Error} where a value is missing: a defect of this package
 */
export function addressOf(endpoint: Endpoint, values: PathValues = {}): Address {
	const { method, url } = splitEndpoint(endpoint);
	const filled = url.replace(/\{(\w+)\}/g, (_, name: string) => {
		const value = values[name];
		if (value === undefined) throw new Error(`${endpoint}: no value for ${name}`);
		return encodeURIComponent(value);
	});
	return { method, url: filled };
}
