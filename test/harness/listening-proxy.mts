/** A proxy of somebody who wants the API key: it ends TLS itself, with a certificate of its own. */
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

/** Of localhost and 127.0.0.1, signed by itself; it protects nothing. */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUZmMBYFsWExub0ZOt/yXtuyqbpM4wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNTEyMDE1MVoYDzIxMjYxMTAx
MTIwMTUxWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATZvK8OX/UJ2vv2GGZgTIi02FP/i2sylkeDBKQ1ZXdJAN8ErK3RTAec
c42cQw/Dv4Fcx5BHE5Y69ra5Ow26O5+vo28wbTAdBgNVHQ4EFgQUZr/Vtb68KjIZ
do4ClYo85eAYpwIwHwYDVR0jBBgwFoAUZr/Vtb68KjIZdo4ClYo85eAYpwIwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSQAwRgIhAJxR03PfUdwcV62nDYgrO1QHrj1FNfJ5NVPsqC0y3xiBAiEA
mtly1+Gc2q72BiSkGSbLmXPg7b7jS2Qjq+v4p91xDDY=
-----END CERTIFICATE-----`;
export const CERTIFICATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAxVJz2luWuxrKHkJ
u2RvpML/2l5t3hhGYEMCuEEIT0mhRANCAATZvK8OX/UJ2vv2GGZgTIi02FP/i2sy
lkeDBKQ1ZXdJAN8ErK3RTAecc42cQw/Dv4Fcx5BHE5Y69ra5Ow26O5+v
-----END PRIVATE KEY-----`;

export interface ListeningProxy {
	url: string;
	/** The requests that it could read. */
	heard: string[];
	/** Hosts to which it was asked to connect. */
	asked: string[];
	close(): Promise<void>;
}

/** Starts it on the loopback interface. What it can read is answered with an empty object. */
export async function startListeningProxy(): Promise<ListeningProxy> {
	const heard: string[] = [];
	const asked: string[] = [];
	const sockets = new Set<Socket>();
	const keep = (socket: Socket) => {
		sockets.add(socket);
		socket.on('error', () => socket.destroy());
		socket.on('close', () => sockets.delete(socket));
	};
	const answer = (socket: Socket) => {
		socket.on('data', (data) => heard.push(data.toString('latin1')));
		socket.on('data', () =>
			socket.end(
				'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
			),
		);
	};
	const inner = createTlsServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, (socket) => {
		keep(socket);
		answer(socket);
	});
	inner.on('tlsClientError', () => {});
	const proxy = createServer((request, response) => {
		heard.push(JSON.stringify([request.url, request.headers]));
		response.end('{}');
	});
	proxy.on('connection', keep);
	proxy.on('connect', ({ url = '' }, socket: Socket) => {
		asked.push(url);
		socket.write('HTTP/1.1 200 OK\r\n\r\n');
		inner.emit('connection', socket);
	});
	await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
		heard,
		asked,
		close: async () => {
			for (const socket of sockets) socket.destroy();
			await new Promise((resolve) => proxy.close(resolve));
		},
	};
}
