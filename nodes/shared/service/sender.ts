import { countOf } from './countOf';
import { InputError, requireText, show } from './InputError';

/**
 * A custom sender: 3 to 11 alphanumeric characters (interface document, section 8), with at least
 * one letter (service-wide rule: digits alone are refused with code 23).
 *
 * @returns the sender, or undefined when the field is left empty: the service then uses a short code
 * @throws InputError
 */
export function parseSender(value: unknown, field = 'Sender'): string | undefined {
	const sender = requireText(value, field).trim();
	if (sender === '') return undefined;
	const problem = problemOf(sender);
	if (problem === undefined) return sender;
	throw new InputError(
		`'${field}' ${show(sender)} ${problem}`,
		'A sender has 3 to 11 letters and digits, at least one of them a letter, such as MyShop.',
	);
}

function problemOf(sender: string): string | undefined {
	const [wrong] = /[^A-Za-z0-9]/u.exec(sender) ?? [];
	if (wrong !== undefined) {
		return `has a character that is not allowed: ${wrong === ' ' ? 'a space' : show(wrong)}`;
	}
	if (sender.length < 3 || sender.length > 11)
		return `has ${countOf(sender.length, 'character')}`;
	return /\D/.test(sender) ? undefined : 'has digits only';
}
