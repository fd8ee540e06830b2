/** Random histories that once found something: played in each way in which n8n keeps state. */
import { describe, test } from 'vitest';
import { KEEPINGS } from './harness.mts';
import type { Move, Poll, Settings } from './moves.mts';
import { play } from './play.mts';

const settings: Settings = {
	events: ['statusChanged'],
	categories: [],
	limit: 1,
	emitExisting: false,
	threshold: 50,
	numbers: ['+33639980002'],
};
const failingPoll: Poll = { failing: ['status'], blank: false, shuffle: 0, twice: false };
const point = (account: number, polls: Poll[]): Move => {
	return { do: 'credential', account, isNewKey: false, isReplaced: false, polls };
};

const FOUND: Array<[what: string, triggers: Settings[], history: Move[]]> = [
	[
		'said to be of another account, though nothing was known of it',
		[settings],
		[{ do: 'empty', reload: 'not at once' }, point(1, [failingPoll]), point(0, [])],
	],
];

describe.each(KEEPINGS)('%s', (_, keeping) => {
	test.each(FOUND)('%s', async (__, triggers, history) => await play(keeping, triggers, history));
});
