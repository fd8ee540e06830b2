/** SMS as a tool of an AI agent, in each of the two ways in which n8n runs one. */
import type { INode, INodeParameters, NodeOperationError } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { asksTheEngine, invokes, invokeTool, type Agent, type Call } from '../delivery/agent.mts';
import { hurry, NUMBER } from './support.mts';

hurry();
const sim = await useSimulator();

async function run(
	agent: Agent,
	calls: Call[],
	parameters: INodeParameters = {},
	settings: Partial<INode> = {},
): Promise<Call[]> {
	const { resultData } = await invokeTool({
		node: 'Sms',
		parameters: {
			operation: 'send',
			number: "={{ $fromAI('number', 'Whom to write to', 'string') }}",
			message: "={{ $fromAI('message', 'What to write', 'string') }}",
			...parameters,
		},
		settings,
		credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
		agent,
		calls,
	});
	if (resultData.error && !calls.some(({ error }) => error)) {
		calls[0].error ??= resultData.error as Error;
	}
	return calls;
}

const message = (text: string, to = NUMBER) => ({ input: { number: to, message: text } });

describe.each([
	['the agent invokes it', invokes],
	['the agent asks the engine', asksTheEngine],
])('%s', (_, agent) => {
	test('a message goes out, and the agent hears the receipt', async () => {
		const [{ answer, error }] = await run(agent, [message('Bonjour')]);
		expect(error).toBeUndefined();
		expect(sim.messages).toMatchObject([{ number: NUMBER, text: 'Bonjour' }]);
		expect(answer).toContain('362891');
		expect(answer).toContain(NUMBER);
	});

	test('several, one after the other', async () => {
		const calls = [message('One'), message('Two', '+33639981235'), message('Three')];
		for (const { error } of await run(agent, calls)) expect(error).toBeUndefined();
		expect(sim.messages.map(({ text }) => text).sort()).toEqual(['One', 'Three', 'Two']);
	});

	test('a marketing message with options', async () => {
		await run(agent, [message('Bonjour')], {
			messageType: 'marketing',
			sender: 'MyShop',
			options: {
				category: "={{ $fromAI('category', 'A tag', 'string') }}",
			},
		});
		expect(sim.messages).toHaveLength(0); // the call lacks what the option asks for
		await run(agent, [{ input: { number: NUMBER, message: 'Bonjour', category: 'orders' } }], {
			messageType: 'marketing',
			sender: 'MyShop',
			options: {
				category: "={{ $fromAI('category', 'A tag', 'string') }}",
			},
		});
		expect(sim.messages).toMatchObject([
			{ kind: 'marketing', sender: 'MyShop', category: 'orders' },
		]);
	});

	test('by URL', async () => {
		await run(agent, [message('Bonjour')], { operation: 'sendByUrl' });
		expect(sim.messages).toMatchObject([{ number: NUMBER, text: 'Bonjour' }]);
	});

	test('a bad number: the agent hears what is wrong, and nothing is sent', async () => {
		const [{ answer, error }] = await run(agent, [message('Bonjour', '06 39')]);
		expect(sim.requests).toHaveLength(0);
		expect(`${error?.message}${answer}`).toContain('has 4 digits');
	});

	test('what recipients would hardly expect: the agent hears it', async () => {
		const [{ answer }] = await run(agent, [message('Bonjour {prenom}, à bientôt')]);
		expect(answer).toContain('Recipients read {prenom} (1 item) as it is. Write the value');
		expect(answer).toContain('ô → o');
		expect(sim.messages).toHaveLength(1);
	});

	test('it reads no HTML, and nothing of the editor', async () => {
		const calls: Call[] = [
			message('Bonjour', '<b>'),
			message(''),
			message('Bonjour {{ name }}'),
			message('Zoë : zoë@exemple.de'),
			message('👋'),
		];
		await run(agent, calls);
		sim.faults.add({ times: Infinity, do: { kind: 'status', status: 502, accept: true } });
		const lost = await run(agent, [message('Perdu')]);
		for (const { error, answer } of [...calls, ...lost]) {
			const told = `${error?.message} ${(error as NodeOperationError)?.description} ${answer}`;
			expect(told).not.toMatch(/<br>|&lt;|&amp;|Executions|On Error|currently saved/);
		}
	});

	test('an option that it leaves out: the advice helps', async () => {
		const category = (expression: string) => ({ options: { category: expression } });
		const asked = category("={{ $fromAI('category', 'A tag', 'string') }}");
		const [{ error, answer }] = await run(agent, [message('Bonjour')], asked);
		const told = `${error?.message} ${(error as NodeOperationError)?.description} ${answer}`;
		if (agent === asksTheEngine) expect(told).toContain('the fourth argument of $fromAI');
		const advised = category("={{ $fromAI('category', 'A tag', 'string', '') }}");
		const [again] = await run(agent, [message('Bonjour')], advised);
		expect(again.error).toBeUndefined();
		expect(sim.messages).toHaveLength(1);
	});

	test('a refusal of the service: the agent hears why', async () => {
		sim.stop(NUMBER);
		const [{ answer, error }] = await run(agent, [message('Bonjour')]);
		expect(`${error?.message}${answer}`).toContain('unsubscribed (STOP)');
		expect(`${error?.message}${answer}`).not.toContain(sim.apiKey);
	});
});

describe('when it is unknown whether the message went out', () => {
	const lost = () =>
		sim.faults.add({ times: Infinity, do: { kind: 'status', status: 502, accept: true } });

	test.each([
		['the agent invokes it', invokes],
		['the agent asks the engine', asksTheEngine],
	])('%s: it is told so', async (_, agent) => {
		lost();
		const [{ answer, error }] = await run(agent, [message('Bonjour')]);
		expect(sim.messages).toHaveLength(1);
		expect(`${error?.message}${answer}`).toMatch(/unknown whether/i);
	});

	test.each([
		['the agent invokes it', invokes],
		['the agent asks the engine', asksTheEngine],
	])('%s: the same once more is not sent', async (_, agent) => {
		lost();
		const calls = await run(agent, [message('Bonjour'), message('Bonjour')]);
		expect(sim.messages).toHaveLength(1);
		for (const { answer, error } of calls)
			expect(`${error?.message}${answer}`).toMatch(/unknown whether/i);
	});

	const retried = async (agent: Agent) => {
		lost();
		await run(
			agent,
			[message('Bonjour')],
			{},
			{ retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
		);
		expect(sim.messages).toHaveLength(1);
	};

	test('the agent asks the engine: Retry On Fail does not send it again', async () => {
		await retried(asksTheEngine);
	});

	// n8n counts each try of a tool that an agent invokes as another run of the node.
	test('the agent invokes it: Retry On Fail does not send it again', async () => {
		await retried(invokes);
	});
});

describe('operations that are no routing', () => {
	const preview = async (agent: Agent) => {
		const [{ answer, error }] = await run(agent, [message('Bonjour')], {
			operation: 'preview',
		});
		expect(sim.requests).toHaveLength(0);
		expect(error).toBeUndefined();
		expect(answer).toContain('GSM-7');
	};
	const batch = async (agent: Agent) => {
		const [{ answer, error }] = await run(agent, [message('Bonjour')], {
			operation: 'sendBatch',
		});
		expect(error).toBeUndefined();
		expect(answer).toContain('"status":"sent"');
		expect(sim.messages).toHaveLength(1);
	};

	test('the agent asks the engine: a preview', async () => await preview(asksTheEngine));
	test('the agent asks the engine: a batch of one', async () => await batch(asksTheEngine));

	test('the agent invokes it: a preview', async () => await preview(invokes));
	test('the agent invokes it: a batch of one', async () => await batch(invokes));

	test('the agent invokes it: a batch with a once key is told to go another way', async () => {
		const [{ answer, error }] = await run(invokes, [message('Bonjour')], {
			operation: 'sendBatch',
			safeguards: { onceKey: 'a' },
		});
		expect(sim.requests).toHaveLength(0);
		expect(`${error?.message}${answer}`).toContain("'Once Key'");
	});

	test('the agent invokes it: a question is told to go another way', async () => {
		const [{ answer, error }] = await run(invokes, [message('OK?')], {
			operation: 'sendAndWait',
		});
		expect(sim.requests).toHaveLength(0);
		expect(`${error?.message}${answer}`).toContain("'Send SMS and Wait for Response'");
	});
});
