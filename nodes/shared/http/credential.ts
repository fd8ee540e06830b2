import { parseBaseUrl } from './baseUrl';
import { allCountries, countryRule, type CountryRule } from '../service/allowedCountries';
import { DEFAULT_COUNTRY } from '../service/countries';
import { readChoice } from '../service/choices';
import { InputError } from '../service/InputError';
import { canonicalNumber, parseNumber } from '../service/number';
import { SHORTEST_KEY } from './secret';

/** The fields of the credential. */
export interface ServiceCredential {
	baseUrl?: unknown;
	apiKey?: unknown;
	headerName?: unknown;
	allowHttp?: unknown;
	defaultCountry?: unknown;
	allowedCountries?: unknown;
	manualRuns?: unknown;
	testNumber?: unknown;
	fieldNames?: unknown;
	allowUnauthorizedCerts?: unknown;
}

/** The settings of the credential beside address and key. */
export interface Account extends Pick<
	ServiceCredential,
	'manualRuns' | 'testNumber' | 'fieldNames'
> {
	/** ISO 3166-1 code of the country whose national numbers are understood. */
	country: string;
	/** Which countries may be sent to; undefined for all. */
	countryRule: CountryRule | undefined;
}

export function readAccount(credential: ServiceCredential): Account {
	const { defaultCountry, allowedCountries, manualRuns, testNumber, fieldNames } = credential;
	const code = typeof defaultCountry === 'string' ? defaultCountry.trim() : '';
	return {
		country: code || DEFAULT_COUNTRY,
		countryRule: countryRule(allowedCountries),
		manualRuns,
		testNumber,
		fieldNames,
	};
}

/** How the credential lets a run that was started in the editor send. @throws InputError */
export function readTestRuns(account: Account, isManual: boolean) {
	const choices = ['send', 'testNumber', 'preview'] as const;
	return isManual ? readChoice(account.manualRuns ?? 'send', choices, 'Test Runs') : 'send';
}

/**
 * The user's own number, to which test runs are sent.
 *
 * @throws InputError when it is missing, or can't get messages
 */
export function readTestNumber({
	testNumber,
	country,
	countryRule: rule,
}: Pick<Account, 'testNumber' | 'country' | 'countryRule'>): string {
	const field = 'Test Number';
	if (testNumber === undefined || testNumber === '') {
		throw new InputError(
			"'Test Number' of the credential is empty",
			"Enter your own mobile number, or choose another option for 'Test Runs' in the credential.",
		);
	}
	const number = parseNumber(testNumber, { field, country, fixedLines: 'refuse' });
	const forbidden = (rule ?? allCountries)(canonicalNumber(number), field);
	if (forbidden !== undefined) throw forbidden;
	return number;
}

/** The parts of a request that authentication reads and sets, in both forms that n8n has. */
interface Addressed {
	url?: string;
	/** Name of `url` in n8n's older form of a request (HTTP Request node up to 4.2). */
	uri?: string;
	baseURL?: string;
	headers?: object;
	qs?: object;
	proxy?: unknown;
	skipSslCertificateValidation?: boolean;
	/** The same, the other way round, in the older form. */
	rejectUnauthorized?: boolean;
	/** Options of the TLS connection, in both forms: n8n's HTTP Request node has *SSL Certificates* here. */
	agentOptions?: object;
}

/** No redirect is followed, by the names of both forms: the key would travel. */
const NO_REDIRECTS = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
} as const;

/** TLS options that a request may have: a client certificate, and whom to trust. Others can lead to another host. */
const TLS_OPTIONS = new Set(['ca', 'cert', 'key', 'passphrase', 'rejectUnauthorized']);
/** Other names under which HTTP clients take connections, and whom to trust. n8n reads none of them so far. */
const CONNECTIONS = ['agent', 'httpAgent', 'httpsAgent', 'socketPath', 'ca', 'pfx'];

/**
 * Gives a request its address and the key: in the header (interface document, section 5), or as the
 * query parameter `apiKey` where the request has a place for it (the URL form of the send, 4.3).
 * Redirects are not followed, and an address of another origin is refused: the key goes nowhere else. Nor is it sent
 * through a proxy that could read it.
 *
 * @returns a new object; the request that was given stays without the key
 * @throws InputError when the credential can't be used
 */
export function authenticateRequest<T extends Addressed>(
	credential: ServiceCredential,
	request: T,
): T {
	const base = parseBaseUrl(credential.baseUrl, credential.allowHttp === true);
	const key = readKey(credential.apiKey);
	const headerName = readHeaderName(credential.headerName);
	const tls = new Map(Object.entries(request.agentOptions ?? {}));
	const ignoresSsl =
		credential.allowUnauthorizedCerts === true ||
		request.skipSslCertificateValidation === true ||
		request.rejectUnauthorized === false ||
		tls.get('rejectUnauthorized') === false;
	const foreign = [
		...[...tls.keys()].filter((name) => !TLS_OPTIONS.has(name)),
		...CONNECTIONS.filter((name) => name in request),
	];
	if (foreign.length > 0) {
		throw new InputError(
			`The request changes how n8n connects (${foreign.join(', ')})`,
			'The API key is only sent over connections that n8n makes itself. Remove this from the request.',
		);
	}
	if (request.proxy && (ignoresSsl || base.startsWith('http:'))) {
		throw new InputError(
			"'Proxy' can't be used with http:// or 'Ignore SSL Issues'",
			'The proxy could read the API key. Remove the proxy from the settings of the node, or use a trusted https:// connection.',
		);
	}
	if (request.proxy && tls.get('ca')) {
		throw new InputError(
			"'Proxy' can't be used with a CA in 'SSL Certificates'",
			'The proxy could read the API key. Remove one of the two. If your network needs both, let n8n trust the CA: set its environment variable NODE_EXTRA_CA_CERTS.',
		);
	}
	const address = addressOf(request.uri ?? request.url ?? '', base);
	const addressed = {
		...request,
		...(ignoresSsl ? { skipSslCertificateValidation: true, rejectUnauthorized: false } : {}),
		...(request.uri === undefined ? { url: address } : { uri: address, url: undefined }),
		baseURL: undefined,
		...NO_REDIRECTS,
	};
	if (request.qs && 'apiKey' in request.qs) {
		return { ...addressed, qs: { ...request.qs, apiKey: key } };
	}
	return { ...addressed, headers: { ...request.headers, [headerName]: key } };
}

function readKey(value: unknown): string {
	const key = typeof value === 'string' ? value.trim() : '';
	const refuse = (what: string, advice: string) =>
		new InputError(`'API Key' of the credential ${what}`, advice);
	if (key === '') {
		throw refuse(
			'is empty',
			'Create a key in the account area of the service and paste it there.',
		);
	}
	const isClean = /^[\x21-\x7e]+$/.test(key);
	if (key.length >= SHORTEST_KEY && isClean) return key;
	throw refuse(
		isClean ? 'is too short' : "contains a character that a key can't have",
		'Copy the whole key again from the account area of the service, without spaces or line breaks.',
	);
}

function readHeaderName(value: unknown): string {
	const name = String(value ?? '').trim() || 'X-Service-ApiKey';
	if (/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return name;
	throw new InputError(
		"'Header Name' of the credential is not a valid header name",
		'Enter the name only, without a colon and the key. It is X-Service-ApiKey, unless the account area of the service names another one.',
	);
}

/**
 * @param target a path below the base URL, beginning with a slash, or a whole address
 * @throws InputError for an address of another origin. One without a base is no path: `https:host` is a
 *   host for whoever sends it, even without slashes.
 */
function addressOf(target: string, base: string): string {
	const path = target.trim();
	if (path.startsWith('/')) return base + path;
	if (URL.canParse(path)) {
		const { origin, href } = new URL(path);
		if (origin === new URL(base).origin) return href;
	}
	if (path === '') {
		// So does n8n where it doesn't know the operation.
		throw new InputError(
			'The request has no address',
			"In a node of this package, choose one of the operations that 'Operation' offers. In an HTTP Request node, fill in 'URL'.",
		);
	}
	throw new InputError(
		"The address of the request isn't on the host of the credential",
		"The API key is only sent to the host in 'Base URL' of the credential.",
	);
}
