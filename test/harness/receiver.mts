import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request that some tool of the user would have got. */
export interface ReceivedCall {
	/** Which tool it was for: the path. */
	tool: string;
	body: string;
}

/** Stands for the other tools in a workflow (a chat, a CRM) and remembers what they are told. */
export interface Receiver {
	/** Followed by the tool's name: `${baseUrl}/chat`. */
	baseUrl: string;
	calls: ReceivedCall[];
	close(): Promise<void>;
}

/** Starts one on the loopback interface. */
export async function startReceiver(): Promise<Receiver> {
	const calls: ReceivedCall[] = [];
	const take = (request: IncomingMessage, body: string, response: ServerResponse) => {
		calls.push({ tool: request.url!.slice(1), body });
		response.setHeader('Content-Type', 'application/json').end('{"ok":true}');
	};
	const server = createServer((request, response) => {
		// Who hangs up in the middle of a call has not called.
		text(request).then(
			(body) => take(request, body, response),
			() => response.destroy(),
		);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		calls,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
