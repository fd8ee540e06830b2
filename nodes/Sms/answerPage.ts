import { escapeHtml } from '../shared/service/html';
import { LONGEST_ANSWER, type Question } from './question';

/** Texts of the page, for people who have never heard of n8n. */
const TEXTS = {
	en: {
		title: 'Your answer is needed',
		approve: 'Approve',
		decline: 'Decline',
		yourAnswer: 'Your answer',
		send: 'Send',
		recorded: 'Thank you. Your answer has been recorded.',
		over: 'This question has already been answered, or is no longer open.',
		again: `Please choose an answer, or write one of at most ${LONGEST_ANSWER} characters.`,
	},
	fr: {
		title: 'Votre réponse est attendue',
		approve: 'Accepter',
		decline: 'Refuser',
		yourAnswer: 'Votre réponse',
		send: 'Envoyer',
		recorded: 'Merci. Votre réponse est enregistrée.',
		over: 'Cette question a déjà reçu une réponse, ou n’est plus ouverte.',
		again: `Merci de choisir une réponse, ou d’en écrire une de ${LONGEST_ANSWER} caractères au maximum.`,
	},
} as const;
type Language = keyof typeof TEXTS;

const STYLE = `
:root { color-scheme: light dark; }
* { box-sizing: border-box; font: inherit; }
body { margin: 0; font: 1.125rem/1.5 system-ui, sans-serif; }
main { max-width: 34rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1, label, button, .problem { font-weight: 600; }
h1 { margin: 0; font-size: 1.25rem; }
.message { padding-left: .75rem; border-left: 4px solid #3b7ddd; white-space: pre-wrap; overflow-wrap: anywhere; }
button, textarea { display: block; width: 100%; margin: .75rem 0; padding: .75rem 1rem; border: 2px solid #3b7ddd; border-radius: .5rem; }
button { min-height: 3.25rem; overflow-wrap: anywhere; color: inherit; background: transparent; }
button.main { color: #fff; background: #1f5fbf; border-color: #1f5fbf; }
textarea { min-height: 8rem; }
`;

/** Nothing but this page's own style, and forms to where it comes from. The hash is that of STYLE. */
const CSP =
	"default-src 'none'; style-src 'sha256-XI/+Ex7lsczZkl3ahFZEe0FB3qQPDMGhVPeCI0Ar1GI='; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/** Headers of every page: kept by nobody, framed by nobody, and its address told to nobody. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
	'Content-Type': 'text/html; charset=utf-8',
	'Content-Security-Policy': CSP,
	'Cache-Control': 'no-store',
	'Referrer-Policy': 'no-referrer',
	'X-Content-Type-Options': 'nosniff',
	'X-Frame-Options': 'DENY',
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
 * @param isAgain whether an answer was posted that the page doesn't offer
 */
export function answerPage(
	language: Language,
	content: Question | 'recorded' | 'over',
	isAgain = false,
): string {
	const texts = TEXTS[language];
	if (typeof content === 'string') return page(language, texts[content]);
	return page(
		language,
		escapeHtml(content.from) || texts.title,
		`<p class="message">${escapeHtml(content.text)}</p>
${isAgain ? `<p class="problem" role="alert">${texts.again}</p>` : ''}
<form method="post">
${controls(content, texts)}
</form>`,
	);
}

function controls({ type, buttons }: Question, texts: (typeof TEXTS)[Language]): string {
	if (type === 'freeText') {
		return `<label for="answer">${texts.yourAnswer}</label>
<textarea id="answer" name="answer" required maxlength="${LONGEST_ANSWER}"></textarea>
<button class="main">${texts.send}</button>`;
	}
	return buttons
		.map(({ value, label }) => {
			const main = type === 'approval' && value === 'approve' ? ' class="main"' : '';
			const shown = label || texts[value as 'approve' | 'decline'];
			return `<button${main} name="answer" value="${attribute(value)}">${escapeHtml(shown)}</button>`;
		})
		.join('\n');
}

function attribute(text: string): string {
	return escapeHtml(text).replaceAll('"', '&quot;');
}

function page(language: Language, heading: string, content = ''): string {
	return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${heading}</h1>
${content}
</main>
</body>
</html>
`;
}
