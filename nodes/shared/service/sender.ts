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
	const advice =
		'A sender has 3 to 11 letters and digits, at least one of them a letter, such as MyShop.';
	const wrong = [...sender].find((character) => !/[A-Za-z0-9]/.test(character));
	if (wrong !== undefined) {
		throw new InputError(
			`'${field}' ${show(sender)} has a character that is not allowed: ${wrong === ' ' ? 'a space' : show(wrong)}`,
			advice,
		);
	}
	if (sender.length < 3 || sender.length > 11) {
		throw new InputError(
			`'${field}' ${show(sender)} has ${sender.length} character${sender.length === 1 ? '' : 's'}`,
			advice,
		);
	}
	if (/^\d+$/.test(sender)) {
		throw new InputError(`'${field}' ${show(sender)} has digits only`, advice);
	}
	return sender;
}
