import { InputError, requireText, show, trimmed } from './InputError';

/** Values that a model or an expression turns into text where there is no sender. */
const NOTHING = /^(null|none|nil|undefined|nan|infinity|true|false)$/i;

/**
 * A custom sender: 3 to 11 alphanumeric characters (interface document, section 8), with at least
 * one letter (service-wide rule: digits alone are refused with code 23).
 *
 * @returns the sender, or undefined when the field is left empty: the service then uses a short code
 * @throws InputError
 */
export function parseSender(value: unknown, field = 'Sender'): string | undefined {
	const sender = trimmed(requireText(value, field));
	if (sender === '') return undefined;
	if (NOTHING.test(sender)) {
		throw new InputError(
			`'${field}' is ${show(sender)}, which stands for an empty value`,
			'Correct the expression, or leave the field empty to send from a short code.',
		);
	}
	if (/^[A-Za-z0-9]{3,11}$/.test(sender) && /\D/.test(sender)) return sender;
	throw new InputError(
		`'${field}' ${show(sender)} can't be a sender`,
		'A sender has 3 to 11 letters (A to Z, no accents) and digits, at least one of them a letter, such as MyShop.',
	);
}
