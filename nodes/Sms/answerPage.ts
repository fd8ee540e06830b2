import { LONGEST_ANSWER, type Question } from './question';

/** Texts of the page, for people who have never heard of n8n. */
const TEXTS = {
	en: {
		title: 'Your answer is needed',
		from: 'Message from',
		approve: 'Approve',
		decline: 'Decline',
		yourAnswer: 'Your answer',
		send: 'Send',
		recorded: 'Thank you. Your answer has been recorded.',
		close: 'You can close this page.',
		over: 'This question has already been answered, or is no longer open.',
		again: `Please choose an answer, or write one of at most ${LONGEST_ANSWER} characters.`,
	},
	fr: {
		title: 'Votre réponse est attendue',
		from: 'Message de',
		approve: 'Accepter',
		decline: 'Refuser',
		yourAnswer: 'Votre réponse',
		send: 'Envoyer',
		recorded: 'Merci. Votre réponse est enregistrée.',
		close: 'Vous pouvez fermer cette page.',
		over: 'Cette question a déjà reçu une réponse, ou n’est plus ouverte.',
		again: `Merci de choisir une réponse, ou d’en écrire une de ${LONGEST_ANSWER} caractères au maximum.`,
	},
} as const;
type Language = keyof typeof TEXTS;

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2024; --paper: #fff; --line: #8b8d98; --main: #1f5fbf; --alert: #b4231a; }
@media (prefers-color-scheme: dark) { :root { --ink: #edeef0; --paper: #18191b; --line: #7b7f86; --main: #8ab4f8; --alert: #ff9592; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1.125rem/1.5 system-ui, sans-serif; }
main { max-width: 34rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.25rem; margin: 0 0 1rem; }
p { margin: 0 0 1.25rem; }
.message { white-space: pre-wrap; overflow-wrap: anywhere; border-left: 4px solid var(--main); padding-left: .75rem; }
.problem { color: var(--alert); font-weight: 600; }
label { display: block; font-weight: 600; margin-bottom: .5rem; }
textarea { display: block; width: 100%; min-height: 8rem; margin-bottom: 1rem; padding: .75rem; font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: .5rem; }
button { display: block; width: 100%; min-height: 3.25rem; margin-bottom: .75rem; padding: .75rem 1rem; font: inherit; font-weight: 600; overflow-wrap: anywhere; color: var(--main); background: transparent; border: 2px solid var(--main); border-radius: .5rem; }
button.main { color: var(--paper); background: var(--main); }
`;

/** Nothing but this page's own style, and forms to where it comes from. The hash is that of STYLE. */
const CSP =
	"default-src 'none'; style-src 'sha256-byttWXrKnixidEt3Z4/fo1DbsU2wc+g4EnEHxYvU4VM='; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/** Headers of every page: kept by nobody, framed by nobody, and its address told to nobody. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
	'Content-Type': 'text/html; charset=utf-8',
	'Content-Security-Policy': CSP,
	'Cache-Control': 'no-store',
	'Referrer-Policy': 'no-referrer',
	'X-Content-Type-Options': 'nosniff',
	'X-Frame-Options': 'DENY',
	'X-Robots-Tag': 'noindex, nofollow, nosnippet',
	Vary: 'Accept-Language',
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
	if (typeof content === 'string') {
		return page(language, texts[content], `<h1>${texts[content]}</h1>\n<p>${texts.close}</p>`);
	}
	const from = escapeHtml(content.from);
	return page(
		language,
		from === '' ? texts.title : `${from} – ${texts.title}`,
		`<h1>${texts.title}</h1>
${from === '' ? '' : `<p>${texts.from} <strong>${from}</strong></p>`}
<p class="message">${escapeHtml(content.text)}</p>
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
			return `<button${main} name="answer" value="${escapeHtml(value)}">${escapeHtml(shown)}</button>`;
		})
		.join('\n');
}

function page(language: Language, title: string, main: string): string {
	return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&#39;',
};

/** Text for HTML, in an element and in a quoted attribute alike. */
function escapeHtml(text: string): string {
	return text.replace(/[&<>"']/g, (character) => ENTITIES[character]);
}
