/** The page behind the link of a question, and which of the posted answers it offers. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { answerPage, PAGE_HEADERS, preferredLanguage } from '../../../nodes/Sms/answerPage.ts';
import { noAnswer, readAnswer, type Question } from '../../../nodes/Sms/question.ts';

const text = 'OK?';
const labels = { approveLabel: '', declineLabel: '' };
const approval: Question = { type: 'approval', text, canDecline: true, ...labels };
const single: Question = { ...approval, canDecline: false };
const choices = ['Monday', 'approve'];
const choice: Question = { type: 'choice', text, choices };
const freeText: Question = { type: 'freeText', text };

const EVIL = `"><img src=x onerror=alert(1)>'&amp;</textarea><script>alert(2)</script>`;
const evil = { text: EVIL, from: EVIL };
const contents: Array<Question | 'recorded' | 'over'> = [
	{ ...approval, ...evil, approveLabel: EVIL, declineLabel: EVIL },
	{ ...choice, ...evil, choices: [EVIL] },
	{ ...freeText, ...evil },
	'recorded',
	'over',
];
const pages = (['en', 'fr'] as const).flatMap((language) =>
	contents.map((content) => answerPage(language, content, true)),
);

test.each(pages)(
	'no text of users is markup, and only the style of the page is allowed',
	(page) => {
		const allowed =
			/^(html|head|meta|title|style|body|main|h1|p|form|strong|button|label|textarea)$/;
		const tags = [...page.matchAll(/<(\w+)/g)].map(([, tag]) => tag);
		expect(tags.filter((tag) => !allowed.test(tag))).toEqual([]);
		const harmless = /^(lang|charset|content|class|role|method|for|maxlength|name|value|id)$/;
		const attributes = [...page.replaceAll(/"[^"]*"/g, '""').matchAll(/<[^>]*\s(\w+)=/g)];
		expect(attributes.filter(([, name]) => !harmless.test(name))).toEqual([]);
		const [, style] = /<style>([^]*?)<\/style>/.exec(page)!;
		const hash = createHash('sha256').update(style).digest('base64');
		const policy = PAGE_HEADERS['Content-Security-Policy'];
		expect(policy).toContain(`default-src 'none'; style-src 'sha256-${hash}'`);
		expect(policy).not.toContain('unsafe');
	},
);

test('the page says who asks, and each button what is posted', () => {
	const page = answerPage('fr', { ...approval, from: 'Dupont & Fils', approveLabel: 'Oui !' });
	expect(page).toContain('<p>Message de <strong>Dupont &amp; Fils</strong></p>');
	expect(page).toMatch(/<title>Dupont &amp; Fils – /);
	expect(page).toContain('name="answer" value="approve">Oui !</button>');
	expect(page).toContain('name="answer" value="decline">Refuser</button>');
	expect(answerPage('fr', single)).not.toMatch(/decline|Message de/);
});

test.each([
	[approval, 'approve', { approved: true }],
	[approval, 'decline', { approved: false }],
	[single, 'decline', undefined],
	[approval, 'Approve', undefined],
	[choice, 'Monday', { choice: 'Monday' }],
	[choice, 'approve', { choice: 'approve' }],
	[choice, 'Tuesday', undefined],
	[choice, '__proto__', undefined],
	// A form posts a line break as two characters.
	[{ ...choice, choices: ['8\n9'] }, '8\r\n9', { choice: '8\n9' }],
	[freeText, ' Oui,\r\nmerci ', { text: 'Oui,\nmerci' }],
	[freeText, `a${'\r\n'.repeat(998)}b`, { text: `a${'\n'.repeat(998)}b` }],
	[freeText, 'a'.repeat(1_001), undefined],
	[freeText, ' \r\n\t', undefined],
])('%j: %j', (question, answer, data) => {
	expect(readAnswer(question, { answer })).toEqual(data);
});

test.each([undefined, null, 'approve', 7, [], {}, { answer: ['approve'] }, { answer: true }])(
	'%j is no answer',
	(posted) => {
		for (const one of [approval, choice, freeText]) {
			expect(readAnswer(one, posted)).toBeUndefined();
		}
	},
);

test('no answer is no approval', () => {
	expect([approval, choice, freeText].map(noAnswer)).toEqual([
		{ approved: false },
		{ choice: null },
		{ text: null },
	]);
});

test.each([
	['fr-FR,fr;q=0.9,en-US;q=0.8,en;q=0.7', 'fr'],
	['en-GB,en;q=0.9,fr;q=0.8', 'en'],
	['en;q=0.5, fr;q=0.9', 'fr'],
	['de-DE,de;q=0.9,fr;q=0.5', 'fr'],
	['FR, en', 'fr'],
	['fr;q=0,en;q=0.1', 'en'],
	[';;q=,,fr;q=x', 'fr'],
	['*', 'en'],
	[undefined, 'en'],
	['__proto__, constructor', 'en'],
])('%j: the page is in %s', (header, language) => {
	expect(preferredLanguage(header)).toBe(language);
});
