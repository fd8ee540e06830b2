import { escapeHtml } from '../shared/service/html';
import { LONGEST_ANSWER, type Question } from './question';

/** Texts of the page, for people who have never heard of n8n. */
const TEXTS = {
	en: {
		approve: 'Approve',
		decline: 'Decline',
		yourAnswer: 'Your answer',
		send: 'Send',
		recorded: 'Thank you. Your answer has been recorded.',
		over: 'This question has already been answered, or is no longer open.',
	},
	fr: {
		approve: 'Accepter',
		decline: 'Refuser',
		yourAnswer: 'Votre réponse',
		send: 'Envoyer',
		recorded: 'Merci. Votre réponse est enregistrée.',
		over: 'Cette question a déjà reçu une réponse, ou n’est plus ouverte.',
	},
} as const;
type Language = keyof typeof TEXTS;
type Texts = (typeof TEXTS)[Language];

const STYLE = `
:root { color-scheme: light dark; }
* { box-sizing: border-box; font: inherit; }
body { margin: 0; font: 1.125rem/1.5 system-ui, sans-serif; }
main { max-width: 34rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1, label, button { font-weight: 600; }
h1 { margin: 0; font-size: 1.25rem; }
.message { padding-left: .75rem; border-left: 4px solid #3b7ddd; white-space: pre-wrap; overflow-wrap: anywhere; }
button, textarea { display: block; width: 100%; margin: .75rem 0; padding: .75rem 1rem; border: 2px solid #3b7ddd; border-radius: .5rem; }
button { min-height: 3.25rem; overflow-wrap: anywhere; color: inherit; background: transparent; }
.freeText button, .approval button:first-child { color: #fff; background: #1f5fbf; border-color: #1f5fbf; }
textarea { min-height: 8rem; }
`;

/**
 * Headers of every page: kept by nobody, framed by nobody, and its address told to nobody. The policy allows nothing but
 * the page's own style, by its hash, and forms to where the page comes from.
 */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
	'Content-Type': 'text/html; charset=utf-8',
	'Content-Security-Policy':
		"default-src 'none'; style-src 'sha256-2wbQQNDhO2Zhs4J2IxR2ghCzeePi0nb136S2QinNMjY='; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
	'Cache-Control': 'no-store',
	'Referrer-Policy': 'no-referrer',
	'X-Robots-Tag': 'noindex, nofollow, nosnippet',
};

/**
 * The language that a phone prefers of the two: phones list theirs in the order of preference.
 *
 * @param header Accept-Language (RFC 9110, 12.5.4)
 */
export function preferredLanguage(header: unknown): Language {
	const [, language] = /(?:^|,)\s*(en|fr)\b/i.exec(String(header)) ?? [];
	return language?.toLowerCase() === 'fr' ? 'fr' : 'en';
}

/**
 * The page behind the link. It works without scripts.
 *
 * @param content a question; `recorded` for an answer that was taken, `over` for a question that isn't open
 */
export function answerPage(language: Language, content: Question | 'recorded' | 'over'): string {
	const texts = TEXTS[language];
	const [heading, body] =
		typeof content === 'string'
			? [texts[content], '']
			: [escapeHtml(content.from), questionForm(content, texts)];
	return `<!doctype html>
<html lang="${language}">
<head>
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${heading}</h1>
${body}
</main>
</body>
</html>
`;
}

function questionForm({ text, type, buttons }: Question, texts: Texts): string {
	const textField = `<label for="answer">${texts.yourAnswer}</label>
<textarea id="answer" name="answer" required maxlength="${LONGEST_ANSWER}"></textarea>
<button>${texts.send}</button>`;
	const choices = buttons.map(({ value, label }) => {
		const posted = escapeHtml(value).replaceAll('"', '&quot;');
		const shown = escapeHtml(label || texts[value as 'approve' | 'decline']);
		return `<button name="answer" value="${posted}">${shown}</button>`;
	});
	return `<p class="message">${escapeHtml(text)}</p>
<form method="post" class="${type}">
${type === 'freeText' ? textField : choices.join('\n')}
</form>`;
}
