/** What is asked, and what of that which was posted is an answer. */
import { describe, expect, test } from 'vitest';
import type { Item } from '../../../nodes/shared/fields/item.ts';
import {
	judgeAnswer,
	noAnswer,
	readQuestion,
	withLink,
	type Question,
} from '../../../nodes/Sms/question.ts';

const about = { text: 'OK?' };
const approval: Question = {
	...about,
	type: 'approval',
	canDecline: true,
	approveLabel: '',
	declineLabel: '',
};
const single: Question = { ...approval, canDecline: false };
const choice: Question = { ...about, type: 'choice', choices: ['Monday', 'approve'] };
const freeText: Question = { ...about, type: 'freeText' };

describe('an answer is what the page offers', () => {
	test.each([
		[approval, 'approve', { approved: true }],
		[approval, 'decline', { approved: false }],
		[single, 'approve', { approved: true }],
		[choice, 'Monday', { choice: 'Monday' }],
		[choice, 'approve', { choice: 'approve' }],
		[freeText, ' Oui,\r\nmerci ', { text: 'Oui,\nmerci' }],
		[freeText, 'é'.repeat(1_000), { text: 'é'.repeat(1_000) }],
		// What the browser counts as 1,000 has more characters on its way.
		[freeText, `a${'\r\n'.repeat(998)}b`, { text: `a${'\n'.repeat(998)}b` }],
	])('%j: %j', (question, answer, data) => {
		expect(judgeAnswer(question, { answer })).toEqual({ data });
	});

	test.each([
		[single, 'decline', 'unknownChoice'],
		[approval, 'Approve', 'unknownChoice'],
		[approval, 'true', 'unknownChoice'],
		[choice, 'Tuesday', 'unknownChoice'],
		[choice, '__proto__', 'unknownChoice'],
		[freeText, ' \r\n\t', 'nothing'],
		[freeText, 'a'.repeat(1_001), 'tooLong'],
	])('%j: %j is none', (question, answer, problem) => {
		expect(judgeAnswer(question, { answer })).toEqual({ problem });
	});

	test.each([
		undefined,
		null,
		'approve',
		7,
		[],
		{},
		{ answer: ['approve'] },
		{ answer: { approve: true } },
		{ answer: true },
		{ approved: 'true' },
	])('%j: nothing was posted', (posted) => {
		for (const question of [approval, single, choice, freeText]) {
			expect(judgeAnswer(question, posted)).toEqual({ problem: 'nothing' });
		}
	});
});

test('no answer is no approval', () => {
	expect([approval, single, choice, freeText].map(noAnswer)).toEqual([
		{ approved: false },
		{ approved: false },
		{ choice: null },
		{ text: null },
	]);
});

test('the link stands where the message says, or at its end', () => {
	const link = 'https://n8n.example.com/1?$&=1';
	expect(withLink('OK? ', link)).toBe(`OK? ${link}`);
	expect(withLink('Here: {link}. OK?', link)).toBe(`Here: ${link}. OK?`);
});

test('each choice can be answered, whatever its line breaks: a form posts them as two characters', () => {
	const asked = (choices: unknown) => {
		const typed: Record<string, unknown> = { responseType: 'choice', choices };
		const item = { options: {}, parameter: (name: string) => typed[name] } as unknown as Item;
		const question = readQuestion('When?', item);
		return question.type === 'choice' ? { question, choices: question.choices } : undefined;
	};
	const { question, choices } = asked(['8\r\n9', '10\r11', '12\n13'])!;
	expect(choices).toEqual(['8\n9', '10\n11', '12\n13']);
	for (const line of choices) {
		const answer = line.replaceAll('\n', '\r\n');
		expect(judgeAnswer(question, { answer })).toEqual({ data: { choice: line } });
	}
	expect(asked('a\r\nb\rc\nd')!.choices).toEqual(['a', 'b', 'c', 'd']);
});

describe('half of an emoji, which no page can show and no phone can post', () => {
	const asked = (typed: Record<string, unknown>) => {
		const item = { options: {}, parameter: (name: string) => typed[name] } as unknown as Item;
		return readQuestion('When?', item);
	};
	const values = (fields: Record<string, unknown>) => ({
		responseType: 'approval',
		approvalOptions: { values: { approvalType: 'double', ...fields } },
	});

	test.each([
		['Choices', { responseType: 'choice', choices: 'Yes 😀\nNo \ud83d' }],
		['Choices', { responseType: 'choice', choices: ['Yes \ud83d', 'No'] }],
		['Approve Button Label', values({ approveLabel: 'OK \ud83d' })],
		['Disapprove Button Label', values({ disapproveLabel: '\ude00 No' })],
	])('is refused in %s', (field, typed) => {
		expect(() => asked(typed)).toThrowError(
			`'${field}' has half of an emoji or of another character`,
		);
	});

	test('a whole one can be chosen', () => {
		const question = asked({ responseType: 'choice', choices: 'Yes 😀\nNo' });
		expect(judgeAnswer(question, { answer: 'Yes 😀' })).toEqual({ data: { choice: 'Yes 😀' } });
	});
});
