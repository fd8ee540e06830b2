/** Text for an element of HTML. */
export function escapeHtml(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The same for a text that people read elsewhere, too: only what would be taken for a tag or an entity. */
export function escapeMarkup(text: string): string {
	return text.replace(/<(?=[a-z/!?])|&(?=#?\w+;)/gi, escapeHtml);
}
