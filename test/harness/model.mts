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
	/** What the tool answered last in that conversation; undefined when the model never heard it. */
	heard(): string | undefined;
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

	/** One turn: the next planned call, or the end once all have been answered. */
	function turn(messages: Message[]) {
		const last = messages.at(-1);
		if (last?.role === 'tool') heard = last.content ?? '';
		if (process.env.DEBUG_MODEL) console.log(JSON.stringify(messages).slice(0, 1500));
		const next = calls.shift();
		if (next === undefined) return { finish_reason: 'stop', message: said('Done') };
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
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

function said(content: string | null) {
	return { role: 'assistant', content };
}
