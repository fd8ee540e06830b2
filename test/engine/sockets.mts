/** Servers on real sockets, for answers that the simulator doesn't give. */
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterAll } from 'vitest';

/** Starts a server for the tests of a file, ended after the last one. @returns its host with port, and open connections */
export async function listen(server: Server): Promise<{ host: string; sockets: Set<Socket> }> {
	const sockets = new Set<Socket>();
	server.on('connection', (socket: Socket) => {
		sockets.add(socket);
		socket.on('close', () => sockets.delete(socket));
		socket.on('error', () => socket.destroy());
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	afterAll(() => {
		for (const socket of sockets) socket.destroy();
		server.close();
	});
	const { port } = server.address() as AddressInfo;
	return { host: `127.0.0.1:${port}`, sockets };
}
