import { splitLinks } from './links';

const NAME = String.raw`[\p{L}_][\p{L}\p{N}_.-]{0,40}`;

/** A name as people see it, such as *N° client*. */
const WORDS = String.raw`[\p{L}_][\p{L}\p{N}_ .°'’-]{0,40}`;

/** A name with an underscore in it, which no word of a text has. */
const IDENTIFIER = /^\p{L}[\p{L}\p{N}]*(?:_[\p{L}\p{N}]+)+$/u;

/** As other systems write them, and nobody else. In a campaign, `${token}` is the service's own. */
const PLACEHOLDER = [
	String.raw`\*\|[^|*\s][^|*\n]{0,40}\|\*`, // *|PRENOM|*
	String.raw`\{\{[^{}\n]{1,60}\}\}`, // {{1}}
	String.raw`\{%[^{}\n]{1,60}%\}`, // {% prenom %}
	String.raw`<%[^<>\n]{1,60}%>`, // <%= prenom %>
	String.raw`[#$]?\{[\p{L}\p{N}_$][\p{L}\p{N}_ .|:$-]{0,40}\}`, // {prenom}, {0}, #{prenom}, ${prenom}
	String.raw`(?<![\p{L}\p{N}%])%%?${NAME}%%?(?![\p{L}\p{N}])`, // %prenom%
	String.raw`(?<![\p{L}\p{N}%]|\d\s)%(?:\d\$)?[sd](?![\p{L}\p{N}'’])`, // %s, %1$s
	String.raw`\[\[${NAME}\]\]`,
	String.raw`(?<!\()\(\(${NAME}\)\)(?!\))`,
	String.raw`##${NAME}##`,
	String.raw`(?<![\p{L}\p{N}$]|\d\s)\$(?:\p{Ll}[\p{L}\p{N}_]{2,40}|\p{Lu}[\p{L}\p{N}_]{3,40})`, // $prenom, but not $CAD
	String.raw`«[\p{Ll}_]${NAME}»`,
	String.raw`<<[\p{Ll}_]${NAME}>>`,
].join('|');

/** Forms that people use in texts, too: they count only with the name of a field in them. */
const AMBIGUOUS = [
	String.raw`\[${WORDS}\]`,
	String.raw`«\s?${WORDS}\s?»`,
	`<<${NAME}>>`,
	String.raw`(?<![\p{L}\p{N}&])#${NAME}#(?![\p{L}\p{N}])`,
	`__${NAME}__`,
	String.raw`(?<![\p{L}\p{N}$])\$[\p{L}_][\p{L}\p{N}_]{0,40}`,
].join('|');
const FOREIGN = new RegExp(`${PLACEHOLDER}|(?<ambiguous>${AMBIGUOUS})`, 'gu');

/**
 * Placeholders of other systems in a text, as they are written, each once. Links have none: a server fills them.
 *
 * @param isField tells the names of fields; by default, every name may be one
 */
export function foreignPlaceholders(
	text: string,
	isField: (name: string) => boolean = () => true,
): string[] {
	if (!/[*{<%[(#$«_]/.test(text)) return [];
	const pieces = splitLinks(text).filter(({ kind }) => kind === 'text');
	const found = pieces
		.flatMap((piece) => [...piece.text.matchAll(FOREIGN)])
		.filter(({ 0: written, groups }) => {
			const name = written.replace(/^[^\p{L}]+|[^\p{L}\p{N}]+$/gu, '');
			return groups!.ambiguous === undefined || IDENTIFIER.test(name) || isField(name);
		});
	return [...new Set(found.map(([written]) => written))];
}
