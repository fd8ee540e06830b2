/** The arguments of the simulator as a program; on Node 20, too. */
export const USAGE = `The SMS service in memory, to play with.

  --port <port>   the port to listen on (default 4010; 0 for any free one)
  --host <host>   the address to listen on (default 127.0.0.1)
  --key <key>     the API key (default: a fixed test key)
  --header <name> the authentication header (default X-Service-ApiKey)
  --extended      the endpoints that only public client libraries know, too
  --keep-requests every request, as it came, at /_simulator/requests
  --help          this text`;

export const OPTIONS = /** @type {const} */ ({
	port: { type: 'string', default: '4010' },
	host: { type: 'string', default: '127.0.0.1' },
	key: { type: 'string' },
	header: { type: 'string' },
	extended: { type: 'boolean', default: false },
	'keep-requests': { type: 'boolean', default: false },
});
