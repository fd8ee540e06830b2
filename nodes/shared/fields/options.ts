import type { INodeProperties } from 'n8n-workflow';
import { readSwitch, type Options } from '../service/choices';

/** The collections of an operation. */
interface Settings {
	/** Options of the operation itself. */
	options?: INodeProperties[];
	/** Safeguards: recipients, cost, failures. */
	safeguards?: INodeProperties[];
}

/** The collections of an operation, *Options* and *Safeguards*, each in alphabetical order. */
export function settingsFields({ options = [], safeguards = [] }: Settings): INodeProperties[] {
	return [
		collection('Options', 'options', 'Add option', options),
		{
			...collection('Safeguards', 'safeguards', 'Add safeguard', safeguards),
			description:
				'Who must not get a message, what sending may cost, and what to do when something goes wrong',
		},
	].filter(({ options: offered = [] }) => offered.length > 0);
}

function collection(
	displayName: string,
	name: string,
	placeholder: string,
	options: INodeProperties[],
): INodeProperties {
	return {
		displayName,
		name,
		type: 'collection',
		placeholder,
		default: {},
		options: [...options].sort((a, b) => a.displayName.localeCompare(b.displayName)),
	};
}

/** The run of an item of which it is unknown whether it was carried out: the advice depends on it. */
export interface Doubt {
	/** The execution fails, so that n8n offers to retry it. */
	fails: boolean;
	/** Number of other items that are unknown, too, where it fails. */
	others: number;
	/** When the first try of the execution began: an ISO date. */
	since: string;
	/** An earlier try may have carried it out, or another execution. */
	isEarlier: boolean | undefined;
}

/** The menu entry of n8n that continues a failed execution with the corrected workflow. */
const RETRY = "choose 'Retry with currently saved workflow' in Executions";
const ANEW = 'run this item in a new workflow, behind a Manual Trigger';

/** Advice for an item that the user may send after all: n8n offers the retry of an execution only where it failed. */
export const HOW_TO_SEND_LATER = `${RETRY} if the execution failed; otherwise, ${ANEW}`;

/**
 * @param option the switch that lets a retry repeat what is unknown
 * @param fails whether the execution fails: n8n offers no retry of another one
 */
export function howToRepeat(option: string, fails: boolean): string {
	if (!fails) return `${ANEW}.`;
	return `add '${option}' under Options, turn it on, and, once the workflow is saved, ${RETRY}. Then remove it again.`;
}

/**
 * Advice where something that isn't repeated turns out to have been carried out.
 *
 * @param resends whether *Repeat if Unknown* is on: a retry would repeat it
 */
export function howToPass({ fails }: Doubt, resends = false): string {
	if (!fails) return '';
	const off = resends ? "turn 'Repeat if Unknown' off, " : '';
	return `\nIf it was carried out: ${off}set 'On Error' in the settings of the node to Continue, and, once the workflow is saved, retry: it goes on with the rest. Then set it back.`;
}

/** For operations that must not be repeated on their own. */
export const repeatUnknown: INodeProperties = {
	displayName: 'Repeat if Unknown',
	name: 'resendUnknown',
	type: 'boolean',
	default: false,
	description:
		'Whether a retry makes the request again if its first answer got lost, so that it is unknown whether it was carried out. It may be carried out twice.',
};

/** @throws InputError */
export function readRepeatUnknown(options: Options): boolean {
	return readSwitch(options, 'resendUnknown', 'Repeat if Unknown');
}
