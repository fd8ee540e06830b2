import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request that some tool of the user would have got. */
export interface ReceivedCall {
	method: string;
	/** Which tool it was for: the first part of the path. */
	tool: string;
	path: string;
	body: string;
}

/** Stands for the other tools in a workflow (a chat, a CRM) and remembers what they are told. */
export interface Receiver {
	/** Followed by the tool's name: `${baseUrl}/chat`. */
	baseUrl: string;
	calls: ReceivedCall[];
	close(): Promise<void>;
}

/**
 * @param port where to listen, on the loopback interface
 * @param onCall told of each call
 */
export async function startReceiver(
	port: number,
	onCall: (call: ReceivedCall) => void = () => {},
): Promise<Receiver> {
	const calls: ReceivedCall[] = [];
	const take = (request: IncomingMessage, body: string, response: ServerResponse) => {
		const [, tool, ...rest] = (request.url ?? '/').split('/');
		const call = {
			method: request.method ?? '',
			tool: tool ?? '',
			path: `/${rest.join('/')}`,
			body,
		};
		calls.push(call);
		onCall(call);
		response.setHeader('Content-Type', 'application/json').end('{"ok":true}');
	};
	const server = createServer((request, response) => {
		// Who hangs up in the middle of a call has not called.
		text(request).then(
			(body) => take(request, body, response),
			() => response.destroy(),
		);
	});
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, '127.0.0.1', resolve);
	});
	return {
		baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		calls,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
