const NAME = String.raw`[\p{L}_][\p{L}\p{N}_.-]{0,40}`;
const INSIDE_BRACES = String.raw`[\p{L}\p{N}_$][\p{L}\p{N}_ .|:$-]{0,40}`;

/** As other systems write them. In a campaign, `${token}` is the service's own. */
const FOREIGN = new RegExp(
	[
		String.raw`\*\|[^|*\s][^|*\n]{0,40}\|\*`, // *|PRENOM|*
		String.raw`\{\{[^{}\n]{1,60}\}\}`, // {{1}}
		String.raw`[#$]?\{${INSIDE_BRACES}\}`, // {prenom}, {0}, #{prenom}, ${prenom}
		`%%?${NAME}%%?`, // %prenom%
		String.raw`(?<![\p{L}\p{N}%])%(?:\d\$)?[sd](?![\p{L}\p{N}])`, // %s, %1$s
		String.raw`\[\[?[\p{L}_][\p{L}\p{N}_]{0,40}\]\]?`, // [prenom]
		`<<${NAME}>>`,
		String.raw`(?<![\p{L}\p{N}&])##?${NAME}##?(?![\p{L}\p{N}])`, // #prenom#
		String.raw`__[\p{L}\p{N}]{1,40}__`,
		String.raw`(?<![\p{L}\p{N}$])\$\p{Ll}[\p{L}\p{N}_]{1,40}`, // $prenom
	].join('|'),
	'gu',
);

/** Placeholders of other systems in a text, as they are written, each once. */
export function foreignPlaceholders(text: string): string[] {
	return [...new Set(text.match(FOREIGN))];
}
