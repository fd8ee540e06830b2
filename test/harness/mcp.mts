/** Tools behind n8n's MCP Server Trigger, called with the official client. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { IDataObject } from 'n8n-workflow';
import type { N8n, WorkflowDefinition } from './n8n.mts';

type ToolNode = WorkflowDefinition['nodes'][number];

/** The answer of a tool, as the model reads it. */
export interface ToolAnswer {
	text: string;
	/** Marked as an error; agents don't say. */
	isError?: boolean;
}

/** Connects tools to the node that calls them. */
export function connected(tools: ToolNode[], to: string): WorkflowDefinition['connections'] {
	return Object.fromEntries(
		tools.map(({ name }) => [
			name,
			{ ai_tool: [[{ node: to, type: 'ai_tool' as const, index: 0 }]] },
		]),
	);
}

/** A client of an MCP server of n8n's. Made by `McpClient.connect`. */
export class McpClient {
	readonly client = new Client({ name: 'test', version: '1.0.0' });

	/** Publishes a workflow that offers these tools, and connects to it. */
	static async connect(n8n: N8n, tools: ToolNode[]): Promise<McpClient> {
		const path = crypto.randomUUID();
		const { id } = await n8n.createWorkflow({
			name: 'MCP server',
			nodes: [
				{
					name: 'MCP',
					type: '@n8n/n8n-nodes-langchain.mcpTrigger',
					typeVersion: 2,
					webhookId: path,
					parameters: { authentication: 'none', path },
				},
				...tools,
			],
			connections: connected(tools, 'MCP'),
		});
		await n8n.activate(id);
		const mcp = new McpClient();
		await mcp.client.connect(
			new StreamableHTTPClientTransport(new URL(`${n8n.url}/mcp/${path}`)),
		);
		return mcp;
	}

	/** @param words what the model fills in, by name */
	async call(name: string, words: IDataObject): Promise<ToolAnswer> {
		const { content, isError } = await this.client.callTool({ name, arguments: words });
		const parts = content as Array<{ type: string; text: string }>;
		return { text: parts.map(({ text }) => text).join('\n'), isError: isError === true };
	}

	async close(): Promise<void> {
		await this.client.close();
	}
}
