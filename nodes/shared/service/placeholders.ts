/** `*|PRENOM|*`, `{{1}}`, `#{prenom}`, `{prenom}`, `%prenom%`, `[prenom]`; a `${token}` is the service's own. */
const FOREIGN =
	/\*\|\w+\|\*|\{\{\s*\w+\s*\}\}|#\{\w+\}|(?<![$#{])\{[\p{L}_][\p{L}\p{N}_]*\}|%[\p{L}_][\p{L}\p{N}_]*%|\[[\p{L}_][\p{L}\p{N}_]*\]/gu;

/** Placeholders of other systems in a text, as they are written, each once. */
export function foreignPlaceholders(text: string): string[] {
	return [...new Set(text.match(FOREIGN))];
}
