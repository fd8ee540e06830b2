/** The page behind the link of a question, and which of the posted answers it offers. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { answerPage, PAGE_HEADERS, preferredLanguage } from '../../../nodes/Sms/answerPage.ts';
import { dataOf, readAnswer, type Question } from '../../../nodes/Sms/question.ts';

/** A question with these buttons: what each posts, and its label. */
const question = (type: Question['type'], ...buttons: Array<[value: string, label: string]>) =>
	({
		...{ type, text: 'OK?', from: '' },
		buttons: buttons.map(([value, label]) => ({ value, label })),
	}) satisfies Question;
const approval = question('approval', ['approve', ''], ['decline', '']);
const single = question('approval', ['approve', '']);
const choice = question('choice', ['Monday', 'Monday'], ['approve', 'approve'], ['8\n9', '8\n9']);
const freeText = question('freeText');

const EVIL = `"><img src=x onerror=alert(1)>'&amp;</textarea><script>alert(2)</script>`;
const evil = { text: EVIL, from: EVIL };
const contents: Array<Question | 'recorded' | 'over'> = [
	{ ...question('approval', ['approve', EVIL], ['decline', EVIL]), ...evil },
	{ ...question('choice', [EVIL, EVIL]), ...evil },
	{ ...freeText, ...evil },
	'recorded',
	'over',
];
const pages = (['en', 'fr'] as const).flatMap((language) =>
	contents.map((content) => answerPage(language, content)),
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
	const asked = question('approval', ['approve', 'Oui !'], ['decline', '']);
	const page = answerPage('fr', { ...asked, from: 'Dupont & Fils' });
	expect(page).toContain('<h1>Dupont &amp; Fils</h1>');
	expect(page).toContain('<title>Dupont &amp; Fils</title>');
	expect(page).toContain('name="answer" value="approve">Oui !</button>');
	expect(page).toContain('name="answer" value="decline">Refuser</button>');
	expect(answerPage('fr', single)).not.toContain('decline');
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
	[choice, '8\r\n9', { choice: '8\n9' }],
	[freeText, ' Oui,\r\nmerci ', { text: 'Oui,\nmerci' }],
	[freeText, `a${'\r\n'.repeat(998)}b`, { text: `a${'\n'.repeat(998)}b` }],
	[freeText, 'a'.repeat(1_001), undefined],
	[freeText, ' \r\n\t', undefined],
])('%j: %j', (asked, answer, data) => {
	expect(readAnswer(asked, { answer })).toEqual(data);
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
	expect(dataOf('approval', null)).toEqual({ approved: false });
	expect(dataOf('choice', null)).toEqual({ choice: null });
	expect(dataOf('freeText', null)).toEqual({ text: null });
});

test.each([
	['fr-FR,fr;q=0.9,en-US;q=0.8,en;q=0.7', 'fr'],
	['en-GB,en;q=0.9,fr;q=0.8', 'en'],
	['de-DE,de;q=0.9,fr;q=0.5', 'fr'],
	['FR, en', 'fr'],
	['en-US, fr;q=0.9', 'en'],
	[';;q=,,fr;q=x', 'fr'],
	['fro, eng, french', 'en'],
	['*', 'en'],
	[undefined, 'en'],
	['__proto__, constructor', 'en'],
])('%j: the page is in %s', (header, language) => {
	expect(preferredLanguage(header)).toBe(language);
});
