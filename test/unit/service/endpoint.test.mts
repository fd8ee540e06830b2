/** Requests as the interface document writes them, filled in for the wire. */
import { expect, test } from 'vitest';
import { addressOf, splitEndpoint } from '../../../nodes/shared/service/endpoint.ts';

test('what stands in braces is replaced, and URL-encoded', () => {
	const values = { listId: 'a/b c', contactId: '+1' };
	expect(addressOf('DELETE /v2/lists/{listId}/contacts/{contactId}', values)).toEqual({
		method: 'DELETE',
		url: '/v2/lists/a%2Fb%20c/contacts/%2B1',
	});
	expect(addressOf('GET /v2/lists/')).toEqual({ method: 'GET', url: '/v2/lists/' });
});

test('a value that is missing is a defect', () => {
	expect(() => addressOf('GET /v2/lists/{listId}', {})).toThrow('no value for listId');
});

test('the declared request keeps its braces', () => {
	expect(splitEndpoint('GET /v2/lists/{listId}')).toEqual({
		method: 'GET',
		url: '/v2/lists/{listId}',
	});
});
