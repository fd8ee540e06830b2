import { InputError } from '../service/InputError';

/**
 * The service address from the text that a person pastes into the credential: surrounding spaces, invisible
 * characters, trailing slashes and a trailing `/v2` (interface document, section 9) are dropped, and a public
 * host without a protocol gets `https://`.
 *
 * @param allowHttp accept an unencrypted address of a public host
 * @returns origin and path without a trailing slash, such as `https://sms.example.com`
 * @throws InputError without the value, which can hold a password or be the key: for what isn't a web
 *   address, and for `http://` to a public host, where the key would travel in clear text
 */
export function parseBaseUrl(value: unknown, allowHttp = false): string {
	const visible = typeof value === 'string' ? value.replace(INVISIBLE, '') : '';
	const typed = visible.length > LONGEST ? '//' : visible.trim();
	if (typed === '') throw refuse('is empty');
	const address = isPublicHost(typed) ? `https://${typed}` : typed;
	if (!URL.canParse(address)) throw refuse('is not a web address');
	const url = new URL(address);
	if (!/^https?:$/.test(url.protocol)) throw refuse("doesn't start with https://");
	if (url.username + url.password !== '') throw refuse('contains a username or password');
	if (url.search + url.hash !== '') throw refuse('contains a ? or #');
	if (url.protocol === 'http:' && !allowHttp && !isPrivateHost(url.hostname)) {
		throw refuse(
			'is not encrypted (http://)',
			"Anyone on the way could read the API key and the messages. Use https://. If you are sure, turn on 'Allow Unencrypted HTTP' in the credential.",
		);
	}
	return url.origin + url.pathname.replace(/(?<!\/)\/+(v2\/*)?$/i, '');
}

function refuse(
	what: string,
	advice = "In the credential, set 'Base URL' to the address of the service with https:// in front, such as https://sms.example.com (http:// for this machine or a private network).",
): InputError {
	return new InputError(`'Base URL' of the credential ${what}`, advice);
}

/** No address is longer. */
const LONGEST = 2_000;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Whether an address begins with the name of a public host: `sms.example.com/v2`, `sms.example.com:8443`. A
 * private host may well speak http:// only.
 */
function isPublicHost(typed: string): boolean {
	const [, host] = /^((?:[\w-]+\.)+[a-z]{2,})(?::\d+)?(?:[/?#]|$)/i.exec(typed) ?? [];
	return host !== undefined && !isPrivateHost(host);
}

/**
 * Whether a host can't be reached from the public internet. Addresses at which clouds hand out secrets, and
 * names that can be those of countries (`ai` has a website), are not private.
 */
export function isPrivateHost(hostname: string): boolean {
	const host = hostname
		.toLowerCase()
		.replace(/^\[|\]$/g, '')
		.replace(/\.$/, '');
	if (/^(169\.254\.169\.254|::ffff:a9fe:a9fe|fd00:ec2::254)$/.test(host)) return false;
	if (host.includes(':')) {
		return (
			host === '::1' ||
			/^(f[cd][0-9a-f]|fe[89ab])[0-9a-f]:/.test(host) ||
			/^::ffff:(7f[0-9a-f]{2}:|a[0-9a-f]{2}:|c0a8:|ac1[0-9a-f]:|a9fe:)/.test(host)
		);
	}
	if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) {
		return /^(127\.|10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.)/.test(host);
	}
	// With a dot at its end, a single name is that of a top-level domain: it is found in no private network.
	const isSingle = /^[^.]{3,}$/.test(host) && (host === 'localhost' || !hostname.endsWith('.'));
	return isSingle || /\.(localhost|local|internal|lan|home\.arpa|test)$/.test(host);
}
