/** Six faults in the middle of a workflow that sends, for somebody who is to recover from them by the texts alone. */
import type { IDataObject } from 'n8n-workflow';
import type { FaultAction } from '../simulator/index.mts';

/** A workflow of SMS that fails once. Each of its rows is to arrive once. */
export interface SixthFault {
	title: string;
	operation: 'send' | 'sendBatch';
	/** Settings of the operation, by name. */
	settings: IDataObject;
	/** The answer to one request to send, after so many others. */
	answer?: { do: FaultAction; skip: number };
	/** Replaces the third number. */
	third?: string;
}

export const SIX_FAULTS: SixthFault[] = [
	{
		title: 'The key was changed in the account area',
		operation: 'send',
		settings: {},
		answer: {
			skip: 2,
			do: { kind: 'json', status: 401, body: { code: 72, error: 'Authentication failed' } },
		},
	},
	{
		title: 'The connection broke off, and the message had arrived',
		operation: 'send',
		settings: {},
		answer: { skip: 1, do: { kind: 'resetAfterAccept' } },
	},
	{
		title: 'The connection broke off, and the message was lost',
		operation: 'send',
		settings: {},
		answer: { skip: 1, do: { kind: 'status', status: 502 } },
	},
	{
		title: 'A number is wrong',
		operation: 'sendBatch',
		settings: { failIfIncomplete: true },
		third: '+33 6 39 98',
	},
	{ title: 'The limit was too low', operation: 'send', settings: { maxCredits: 3 } },
	{
		title: 'With keys, the account ran out of credits',
		operation: 'sendBatch',
		settings: { onceKey: '={{ $json.order }}' },
		answer: {
			skip: 2,
			do: { kind: 'json', status: 402, body: { code: 71, error: 'Not enough credits' } },
		},
	},
];

/** The rows of the n-th workflow: their own phones, and what they are to get. */
export function rowsOf({ third }: SixthFault, place: number): IDataObject[] {
	return Array.from({ length: 5 }, (_, index) => ({
		to: index === 2 && third ? third : `+33639987${place}0${index}`,
		order: 100 * (place + 1) + index,
		text: `Your order ${100 * (place + 1) + index} has been shipped`,
	}));
}
