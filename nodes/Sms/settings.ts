import type { RunSettings } from '../shared/run/settings';
import { readChoice, readOption, readSwitch, type Options } from '../shared/service/choices';
import { InputError, requireText, show } from '../shared/service/InputError';

/**
 * What holds for a run that sends as a whole, as its first item has it.
 *
 * @throws InputError
 */
export function readRunSettings(options: Options): RunSettings {
	const field = 'Invalid Items';
	const invalidItems = readOption(options, 'invalidItems', field) ?? 'report';
	return {
		stopsAtInvalid: readChoice(invalidItems, ['report', 'stop'], field) === 'stop',
		includesInput: readSwitch(options, 'includeInputFields', 'Include Input Fields'),
		maxCredits: readMaxCredits(options),
	};
}

function readMaxCredits(options: Options): number | undefined {
	const value = readOption(options, 'maxCredits', 'Max Credits');
	if (value === undefined) return undefined;
	const credits = typeof value === 'number' ? value : Number(requireText(value, 'Max Credits'));
	if (Number.isFinite(credits) && credits > 0) return credits;
	throw new InputError(
		`'Max Credits' is ${show(value)}`,
		'Enter a number greater than 0, or remove the option for no limit.',
	);
}
