import type { IDataObject } from 'n8n-workflow';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A language model without a mind: it calls the tool that a test tells it to call. */
export interface Model {
	/** For the credential of n8n's OpenAI nodes. */
	baseUrl: string;
	/** The next conversation calls this tool once for each of these words, one call after the other. */
	plan(tool: string, ...words: IDataObject[]): void;
	/** The tool's last answer in that conversation; undefined when the model never heard it. */
	heard(): string | undefined;
	/** From now on, it ends its conversations with this text, which is 'Done' at first. Forgets those it had. */
	say(text: string): void;
	/** From now on until `say`, it answers with HTTP 500. */
	fail(): void;
	/** The texts of each conversation since `say`, of its newest request, without the system's message. */
	conversations(): string[][];
	close(): Promise<void>;
}

interface Message {
	role: string;
	content: string | null;
}

/** Starts a server that speaks the part of OpenAI's chat completions that n8n's agents need. */
export async function startModel(): Promise<Model> {
	const calls: Array<{ tool: string; words: IDataObject }> = [];
	let heard: string | undefined;
	let last: string | undefined = 'Done';
	let conversations: string[][] = [];

	/** One turn: the next planned call, or the end once all have been answered. */
	function turn(messages: Message[]) {
		const newest = messages.at(-1);
		if (newest?.role === 'tool') heard = newest.content ?? '';
		const texts = messages.flatMap(({ role, content }) =>
			role === 'system' ? [] : (content ?? []),
		);
		conversations.push(texts);
		if (process.env.DEBUG_MODEL) console.log(JSON.stringify(messages).slice(0, 1500));
		const next = calls.shift();
		if (next === undefined) return { finish_reason: 'stop', message: said(last!) };
		const { tool, words } = next;
		const call = {
			id: `call_${crypto.randomUUID()}`,
			type: 'function',
			function: { name: tool, arguments: JSON.stringify(words) },
		};
		return { finish_reason: 'tool_calls', message: { ...said(null), tool_calls: [call] } };
	}

	const server = createServer((request, response) => {
		json(request).then(
			(body) => {
				if (last === undefined) {
					response.statusCode = 500;
					response.end('{"error":{"message":"Overloaded"}}');
					return;
				}
				const { messages } = body as { messages: Message[] };
				const answer = {
					id: 'chatcmpl-test',
					object: 'chat.completion',
					created: 0,
					model: 'test',
					choices: [{ index: 0, ...turn(messages) }],
					usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
				};
				response.setHeader('Content-Type', 'application/json');
				response.end(JSON.stringify(answer));
			},
			() => response.destroy(),
		);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		baseUrl: `http://127.0.0.1:${port}/v1`,
		plan(tool, ...planned) {
			calls.splice(0, Infinity, ...planned.map((words) => ({ tool, words })));
			heard = undefined;
		},
		heard: () => heard,
		say(text) {
			last = text;
			conversations = [];
		},
		fail: () => (last = undefined),
		conversations: () => conversations,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

function said(content: string | null) {
	return { role: 'assistant', content };
}
