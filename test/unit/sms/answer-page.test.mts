/** The page behind the link of a question. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
	askPage,
	notePage,
	PAGE_HEADERS,
	preferredLanguage,
} from '../../../nodes/Sms/answerPage.ts';
import type { Question } from '../../../nodes/Sms/question.ts';

const approval: Question = {
	type: 'approval',
	text: 'OK?',
	canDecline: true,
	approveLabel: '',
	declineLabel: '',
};
const EVIL = `"><img src=x onerror=alert(1)>'&amp;</textarea><script>alert(2)</script>`;

/** Every page there is, with a text of users wherever one can be. */
const pages: Array<[string, string]> = (['en', 'fr'] as const).flatMap(
	(language): Array<[string, string]> => [
		[
			`approval, ${language}`,
			askPage(
				{ ...approval, text: EVIL, from: EVIL, approveLabel: EVIL, declineLabel: EVIL },
				language,
				{
					problem: 'unknownChoice',
					text: EVIL,
				},
			),
		],
		[`choice, ${language}`, askPage({ type: 'choice', text: EVIL, choices: [EVIL] }, language)],
		[
			`free text, ${language}`,
			askPage({ type: 'freeText', text: EVIL }, language, { problem: 'tooLong', text: EVIL }),
		],
		[`recorded, ${language}`, notePage(language, 'recorded')],
		[`over, ${language}`, notePage(language, 'over')],
	],
);

test.each(pages)('%s: no text of users is markup, and nothing runs', (_, page) => {
	const tags = [...page.matchAll(/<(\w+)/g)].map(([, tag]) => tag);
	const allowed = ['html', 'head', 'meta', 'title', 'style', 'body', 'main', 'h1', 'p', 'form'];
	allowed.push('strong', 'button', 'label', 'textarea');
	expect(tags.filter((tag) => !allowed.includes(tag))).toEqual([]);
	const attributes = [...page.replaceAll(/"[^"]*"/g, '""').matchAll(/<[^>]*\s(\w+)=/g)];
	const harmless = ['lang', 'charset', 'content', 'class', 'role', 'method', 'for', 'maxlength'];
	harmless.push('name', 'value', 'id');
	expect(attributes.map(([, name]) => name).filter((one) => !harmless.includes(one))).toEqual([]);
});

test.each(pages)('%s: its title is its heading', (_, page) => {
	const [, title] = /<title>(.*)<\/title>/.exec(page)!;
	if (page.includes('<form')) expect(title).toMatch(/answer is needed|réponse est attendue/);
	else expect(page).toContain(`<h1>${title}</h1>`);
});

test.each(pages)('%s: the policy allows its style, and no other', (_, page) => {
	const [, style] = /<style>([^]*?)<\/style>/.exec(page)!;
	const hash = createHash('sha256').update(style).digest('base64');
	const policy = PAGE_HEADERS['Content-Security-Policy'];
	expect(policy).toContain(`style-src 'sha256-${hash}'`);
	expect(policy).toContain("default-src 'none'");
	expect(policy).not.toContain('unsafe');
	expect(page.match(/<style>/g)).toHaveLength(1);
	expect(page).not.toContain('style=');
});

test('each button says what is posted', () => {
	const page = askPage({ ...approval, approveLabel: 'Yes, do it' }, 'fr');
	expect(page).toContain('<form method="post">');
	expect(page).toContain('name="answer" value="approve">Yes, do it</button>');
	expect(page).toContain('name="answer" value="decline">Refuser</button>');
	expect(askPage({ ...approval, canDecline: false }, 'fr')).not.toContain('decline');
});

test.each([
	['a'.repeat(1_200), 'a'.repeat(1_000)],
	// In a page, half of an emoji is another character.
	[`a${'😀'.repeat(600)}`, `a${'😀'.repeat(499)}`],
])('a text that was too long can be gone on from', (text, kept) => {
	const page = askPage({ type: 'freeText', text: 'Why?' }, 'en', { problem: 'tooLong', text });
	expect(page).toContain(`\n${kept}</textarea>`);
	expect(page).toContain('1000 characters at most');
});

describe('the language is that of the phone', () => {
	test.each([
		['fr-FR,fr;q=0.9,en-US;q=0.8,en;q=0.7', 'fr'],
		['en-GB,en;q=0.9,fr;q=0.8', 'en'],
		['en;q=0.5, fr;q=0.9', 'fr'],
		['de-DE,de;q=0.9,fr;q=0.5', 'fr'],
		['FR', 'fr'],
		['fr;q=0,en;q=0.1', 'en'],
		['de', 'en'],
		['*', 'en'],
		['', 'en'],
		[undefined, 'en'],
		[['fr'], 'en'],
		[';;q=,,fr;q=x', 'fr'],
		['constructor,toString;q=0.9', 'en'],
		['__proto__, fr;q=0.1', 'fr'],
	])('%j: %s', (header, language) => {
		expect(preferredLanguage(header)).toBe(language);
	});
});

test.each([
	['en', 'Message from'],
	['fr', 'Message de'],
] as const)('the page names who asks, in %s', (language, says) => {
	const page = askPage({ ...approval, from: 'Dupont & Fils' }, language);
	expect(page).toContain(`<p>${says} <strong>Dupont &amp; Fils</strong></p>`);
	expect(page).toMatch(/<title>Dupont &amp; Fils – /);
	expect(askPage(approval, language)).not.toContain(says);
});
