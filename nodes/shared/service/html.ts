/** Text for an element of HTML. */
export function escapeHtml(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Escapes only tags and entities, for a text that people read elsewhere, too. */
export function escapeMarkup(text: string): string {
	return text.replace(/<(?=[a-z/!?])|&(?=#?\w+;)/gi, escapeHtml);
}
