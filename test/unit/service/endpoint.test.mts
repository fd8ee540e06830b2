/** Requests as the interface document writes them; how they are filled in: engine/resources/{endpoints,list}.test.mts. */
import { expect, test } from 'vitest';
import { addressOf } from '../../../nodes/shared/service/endpoint.ts';

test('a value that is missing is a defect', () => {
	expect(() => addressOf('GET /v2/lists/{listId}', {})).toThrow('no value for listId');
});
