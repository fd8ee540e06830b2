/** An agent that calls SMS as its tool, and does what the answers say; and the person behind it. */
import type { IDataObject, IExecuteFunctions, IRunExecutionData } from 'n8n-workflow';
import type { Dice } from '../../harness/random.mts';
import { workflow } from '../harness.mts';
import { invokeTool, type Agent } from './agent.mts';
import { KEY } from './answers.mts';
import { Broken, type Weather } from './player.mts';
import { people } from './sending.mts';
import { sim } from './service.mts';

type Tool = { invoke: (input: IDataObject) => Promise<string> };

/** A message that the agent wants to be sent, and what it last heard of it. */
interface Wish {
	number: string;
	message: string;
	heard: string;
	state: 'open' | 'sent' | 'left';
}

/** Times that the agent tries what failed, in one execution. */
const ROUNDS = 3;
/** Executions after which the model works. */
const MOST_RETRIES = 3;

/** Calls of a tool, some of them at the same moment, and retries of an execution whose agent failed. @throws Broken */
export async function playAgent(dice: Dice, weather: Weather): Promise<void> {
	const wishes = people(3 + dice.to(4)).map(
		({ to }, index): Wish => ({
			...{ number: String(to), message: `T${index}`, heard: '', state: 'open' },
		}),
	);
	// Two messages to one phone, and one that is asked for twice at the same moment.
	if (dice.chance(30)) wishes[1].number = wishes[0].number;
	const isTwice = dice.chance(30);
	const isParallel = isTwice || dice.chance(70);
	const maxCredits = dice.chance(30) ? 1 + dice.to(4) : undefined;
	const parameters = {
		operation: 'send',
		number: "={{ $fromAI('number', '', 'string') }}",
		message: "={{ $fromAI('message', '', 'string') }}",
		options: dice.chance(30) ? { resendUnknown: true } : {},
		safeguards: maxCredits === undefined ? {} : { maxCredits },
	};
	/** n8n makes a plain error of what an agent throws. */
	let broken: Broken | undefined;
	const fail = (what: string): never => {
		const heard = wishes.map((wish) => JSON.stringify(wish)).join('\n');
		broken ??= new Broken(`agent ${JSON.stringify(parameters)}\n${what}\n${heard}`);
		throw broken;
	};
	const count = ({ number, message }: Wish) =>
		sim.messages.filter((one) => one.number === number && one.text === message).length;
	const audit = () => {
		for (const wish of wishes) {
			const got = count(wish);
			if (got > 1) fail(`${wish.message} was sent ${got} times`);
			if (wish.state === 'sent' && got === 0) fail(`${wish.message} was not sent`);
		}
		const spent = sim.messages.reduce((sum, { creditsUsed }) => sum + creditsUsed, 0);
		if (maxCredits !== undefined && spent > maxCredits)
			fail(`${spent} credits of ${maxCredits}`);
	};
	let executions = 0;
	/** The model is down at the end of its turn. */
	let isDown = dice.chance(50);

	async function call(tool: Tool, wish: Wish): Promise<void> {
		const { number, message } = wish;
		try {
			const answer = await tool.invoke({ number, message });
			Object.assign(wish, { heard: answer, state: 'sent' });
			if (!answer.includes('snapshotId')) fail(`no receipt for ${message}`);
		} catch (error) {
			if (error instanceof Broken) throw error;
			const { message: headline, description = '' } = error as Error & {
				description?: string;
			};
			wish.heard = `${headline} ${description}`;
			const isLeft = /don't repeat it/.test(wish.heard);
			wish.state = isLeft ? 'left' : 'open';
			if (!isLeft && count(wish) > 0) fail(`${message} was sent, and may be repeated`);
		}
	}

	const agent: Agent = () =>
		async function (this: IExecuteFunctions) {
			const { AiTool } = workflow.NodeConnectionTypes;
			const [tool] = (await this.getInputConnectionData(AiTool, 0)) as Tool[];
			executions++;
			for (const wish of wishes) wish.state = 'open';
			for (let round = 1; round <= ROUNDS; round++) {
				const open = wishes.filter(({ state }) => state === 'open');
				if (isParallel) {
					const again =
						isTwice && executions === 1 && round === 1 ? open.slice(0, 1) : [];
					await Promise.all(
						[...open, ...again].map(async (wish) => await call(tool, wish)),
					);
				} else for (const wish of open) await call(tool, wish);
				audit();
				if (round === 2) weather.clear();
			}
			if (isDown) throw new Error('The model is overloaded');
			return [[{ json: {} }]];
		};
	let failed: IRunExecutionData | undefined;
	for (let retry = 0; retry <= MOST_RETRIES; retry++) {
		const data = await invokeTool({
			...{ node: 'Sms', parameters: parameters as never, agent, calls: [], failed },
			credential: { baseUrl: sim.baseUrl, apiKey: KEY },
			executionId: String(retry + 1),
		});
		const { error } = data.resultData;
		if (broken !== undefined) throw broken;
		audit();
		if (error === undefined) break;
		failed = data;
		isDown = dice.chance(30);
	}
	const isOpen = ({ state, heard }: Wish) => state === 'open' && !/Max Credits/.test(heard);
	if (wishes.some(isOpen)) fail('no way out');
}
