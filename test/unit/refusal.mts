import { expect } from 'vitest';
import { InputError } from '../../nodes/shared/service/InputError.ts';

/** @returns the error by which a value is refused that is read; fails where it is taken */
export function refusalOf(read: () => unknown): InputError {
	try {
		read();
	} catch (error) {
		expect(error).toBeInstanceOf(InputError);
		return error as InputError;
	}
	throw new Error('It was accepted');
}
