/** Options: design ("Parameters"). */
import { expect, test } from 'vitest';
import { readUnsupported } from '../../../nodes/shared/service/choices.ts';
import { InputError } from '../../../nodes/shared/service/InputError.ts';

test('unsupported characters are replaced unless the user says otherwise', () => {
	expect(readUnsupported({})).toBe('replace');
	for (const value of ['reject', 'replace', 'keep']) {
		expect(readUnsupported({ unsupportedCharacters: value })).toBe(value);
	}
	for (const value of ['drop', null, undefined, true]) {
		expect(() => readUnsupported({ unsupportedCharacters: value })).toThrow(InputError);
	}
});
