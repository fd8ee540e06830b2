import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

export interface Mail {
	from: string;
	to: string[];
	/** Headers and parts, as they came. */
	content: string;
}

/** A mail server that delivers nothing and remembers everything. */
export interface Mailbox {
	host: string;
	port: number;
	mails: Mail[];
	close(): Promise<void>;
}

/** Starts a mail server (SMTP, without encryption or login) on the loopback interface. */
export async function startMailbox(): Promise<Mailbox> {
	const mails: Mail[] = [];
	const sockets = new Set<Socket>();
	const server = createServer((socket) => {
		sockets.add(socket);
		socket.on('close', () => sockets.delete(socket));
		socket.on('error', () => socket.destroy());
		serve(socket, mails);
	});
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(0, '127.0.0.1', resolve);
	});
	return {
		host: '127.0.0.1',
		port: (server.address() as AddressInfo).port,
		mails,
		close: async () => {
			for (const socket of sockets) socket.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** The server's side of one connection (RFC 5321, the commands that a client needs). */
function serve(socket: Socket, mails: Mail[]): void {
	let mail: Mail = { from: '', to: [], content: '' };
	let isContent = false;
	let rest = '';
	const answer = (line: string) => socket.write(`${line}\r\n`);
	answer('220 mailbox');
	socket.setEncoding('utf8').on('data', (chunk: string) => {
		const lines = (rest + chunk).split('\r\n');
		rest = lines.pop() ?? '';
		for (const line of lines) {
			if (isContent) {
				if (line === '.') {
					mails.push(mail);
					mail = { from: '', to: [], content: '' };
					isContent = false;
					answer('250 kept');
				} else mail.content += `${line.replace(/^\.\./, '.')}\n`;
				continue;
			}
			const [, address = ''] = /<(.*?)>/.exec(line) ?? [];
			if (/^MAIL FROM/i.test(line)) mail.from = address;
			if (/^RCPT TO/i.test(line)) mail.to.push(address);
			isContent = /^DATA$/i.test(line);
			if (/^QUIT$/i.test(line)) socket.end('221 bye\r\n');
			else answer(isContent ? '354 go on' : '250 ok');
		}
	});
}
