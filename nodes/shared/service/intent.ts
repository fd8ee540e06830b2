import { COURTESY, PARTS, PHRASES, STATEMENTS, TURNS } from './phrases';

/** The meaning of a reply. */
export type Intent = 'stop' | 'help' | 'yes' | 'no' | 'other';

/** Characters of a reply. A longer one is no plain answer. */
const LONGEST = 4_000;

/**
 * The meaning of a reply, in French or English: by whole phrases of `phrases.ts`, never by a word somewhere in
 * a text. What is not plain is `other`: a wrong `stop` keeps somebody from messages that are wanted.
 *
 * @param message text of a reply; anything else is `other`
 */
export function intentOf(message: unknown): Intent {
	if (typeof message !== 'string' || message.length > LONGEST) return 'other';
	// Quoted words are somebody else's, unless the reply has no others
	const unquoted = message.replace(QUOTATION, '');
	if (unquoted !== message && sentencesOf(unquoted).length > 0) return 'other';
	const isName = (text: string) => actsOf(text).every(([act]) => act === 'unclear');
	const unsigned = message.replace(SIGNATURE, (text) => (isName(text) ? '' : text));
	return meaningOf(actsOf(unsigned.replace(SOMEBODY_ELSE, 'somebody')));
}

/** The message that it answers, as phones quote it in reactions: 'Liked "Sale today. STOP 36180"'. */
const QUOTATION = /«[^«»]*»|“[^“”]*”|"[^"]*"|^ *>.*$/gm;

/** The act of a phrase; a clause without one turns a stop, is a statement beside it, or is unclear. */
type Act = keyof typeof PHRASES | 'turn' | 'statement';

const DEMANDS: Act[] = ['demand', 'request'];
const REASONS: Act[] = ['complaint', 'asking', 'aside'];
const BESIDE: Act[] = ['yes', 'no', ...REASONS];
const MARKS: Act[] = ['thumbUp', 'thumbDown', 'forbidden'];
const PLAIN: Act[] = [...BESIDE, ...MARKS];

/** A reply has one act of each group that is needed, and no others than those beside them. The first rule that fits counts. */
const RULES: ReadonlyArray<[Intent, needed: Act[][], beside: Act[]]> = [
	['stop', [['stop', ...DEMANDS]], ['lone', ...PLAIN]],
	['stop', [['lone']], MARKS],
	// "Wrong number, please remove"
	['stop', [['complaint'], ['lone', 'removal']], REASONS],
	['help', [['help']], [...REASONS, 'thumbUp', 'question']],
	['yes', [['yes', 'thumbUp']], []],
	// A yes with a thumb down is none, nor is a thumb down with one up
	['no', [['no']], MARKS],
	['no', [['thumbDown']], []],
];

function meaningOf(clauses: Act[][]): Intent {
	const acts = clauses.flat();
	if (acts.includes('turn')) return 'other';
	// A sentence that says it, whatever the others are
	const isDemand = (clause: Act[]) => consistsOf(clause, [['demand']], ['stop', ...BESIDE]);
	if (clauses.some(isDemand)) return 'stop';
	// A word that says it behind what explains it: "You have the wrong person, stop"
	const explained = acts.lastIndexOf('statement') + 1;
	const isExplained = consistsOf(acts.slice(0, explained), [['statement']], PLAIN);
	const rest = acts.slice(explained);
	if (isExplained && consistsOf(rest, [['stop']], [...REASONS, ...MARKS])) return 'stop';
	return RULES.find(([, needed, beside]) => consistsOf(acts, needed, beside))?.[0] ?? 'other';
}

function consistsOf(acts: Act[], needed: Act[][], beside: Act[]): boolean {
	const allowed = [...needed.flat(), ...beside];
	const isThere = (some: Act[]) => some.some((act) => acts.includes(act));
	return needed.every(isThere) && acts.every((act) => allowed.includes(act));
}

const TOKEN = /<(\w+)>|([\w#]+|\p{So})(?:\/(\w+))?|\.{3}|[[\]?]|\s+/gu;
const NOTATION: Record<string, string> = { '': '', '[': '(', ']': ')?', '?': '\\? ', '...': '.*' };
const LEXICON = Object.entries(PHRASES).flatMap(([act, table]) =>
	phrasesOf(table).map((phrase) => ({ act: act as Act, phrase: new RegExp(phrase, 'y') })),
);

function actsOf(text: string): Act[][] {
	return sentencesOf(text).flatMap(readSentence);
}

/** The acts of each clause; one that is unclear makes the sentence so. */
function readSentence(clauses: string[]): Act[][] {
	const readings = clauses.map(readClause);
	const acts = readings.flat();
	const mark = (['turn', 'unclear'] as const).find((one) => acts.includes(one));
	if (mark !== undefined) return [[mark]];
	if (acts.at(-1) !== 'question') return readings;
	const [asked] = acts.slice(-2);
	const isAsked = asked === 'stop' ? acts.includes('asking') : DEMANDS.includes(asked);
	return isAsked ? [[...acts.slice(0, -2), 'request']] : readings;
}

/** An act for each phrase, if the clause is made of phrases from end to end. */
function readClause(clause: string): Act[] {
	const acts = actsFrom(0, clause, new Set());
	if (acts !== undefined && !acts.includes('unclear')) return acts;
	if (TURN.test(clause)) return ['turn'];
	return [BEGINS_STATEMENT.test(clause) ? 'statement' : 'unclear'];
}

/** @param deadEnds places that no phrases lead on from: each is tried once */
function actsFrom(at: number, clause: string, deadEnds: Set<number>): Act[] | undefined {
	if (at === clause.length) return [];
	if (deadEnds.has(at)) return undefined;
	const ends = LEXICON.flatMap(({ act, phrase }) => {
		phrase.lastIndex = at;
		return phrase.test(clause) ? [{ act, end: phrase.lastIndex }] : [];
	});
	for (const { act, end } of ends.sort((one, other) => other.end - one.end)) {
		const rest = actsFrom(end, clause, deadEnds);
		if (rest === undefined) continue;
		const isSome = act === 'demand' && ABOUT_SOME.test(clause.slice(at, end));
		return [isSome ? 'request' : act, ...rest];
	}
	deadEnds.add(at);
	return undefined;
}

const TURN = new RegExp(`(?<!\\S)${oneOf(TURNS)}`);
const BEGINS_STATEMENT = new RegExp(`^${oneOf(STATEMENTS)}`);
const ABOUT_SOME = new RegExp(`(?<!\\S)${oneOf('<some>, <kind>, <someFr>, <kindFr>')}`);

const APOSTROPHES = /['’‘‛ʼ′´`＇]/g;
const INVISIBLE = /[\p{M}\p{Cf}]/gu;
/** A blood group or a number: "O+" is no "o" of somebody who agrees, "N° 5" no "n". */
const SYMBOL = /(?<![\p{L}\p{N}])[on](?=[+＋°º]|[\p{Pd}−](?!\p{L}))|№/giu;
const EMOJI = [PHRASES.thumbUp, PHRASES.thumbDown, PHRASES.forbidden].join();
/** The name below a closing, or behind "Thanks,". */
const SIGNATURE =
	/(?<=(?:[Cc]ordialement|[Cc]dl?t|[Bb]ien à vous|[Rr]egards|[Ss]incerely)[\s,.!]{1,5}|(?:[Mm]erci|[Tt]hanks|[Tt]hank you), ?)(?:\p{Lu}[\p{L}\p{M}.'’-]{0,30}[\s,]{0,3}){1,4}$/u;
/** "Je ne suis pas Paul", "This is not Sarah": who got the message by mistake. */
const SOMEBODY_ELSE =
	/(?<!\p{L})(?:[Jj]e (?:ne )?suis pas|[Cc](?:e n)?['’]est pas|[Ii](?: a|['’]?)m not|[Tt]his (?:is not|isn['’]?t)) (?:(?:M|Mr|Mrs|Ms|Mme|Mlle|Dr)\.? )?\p{Lu}\p{Ll}[\p{L}'’-]{0,30}(?: \p{Lu}[\p{L}'’-]{0,30}){0,2}(?=\s*(?:[.,;!?\n]|$))/gu;
const COURTESIES = new RegExp(`(?<= )${oneOf(COURTESY)}+`, 'g');

/**
 * The clauses of each sentence: lower case, without accents, apostrophes and courtesies, a space after each word.
 * Marks go first: composing sorts those of a letter, in a time that grows with the square of their number.
 */
function sentencesOf(message: string): string[][] {
	return (
		` ${message} `
			.replace(APOSTROPHES, '')
			.replace(INVISIBLE, '')
			.replace(SYMBOL, ' symbol ')
			.normalize('NFKD')
			.replace(INVISIBLE, '')
			.toLowerCase()
			.replace(/(?<=\p{L})\p{Pd}(?=\p{L})/gu, ' ')
			// "S.T.O.P."
			.replace(/(?<=(?<!\p{L})\p{L})\.(?=\p{L}(?!\p{L}))/gu, ' ')
			.replace(/[,;:()/\p{Pd}]+/gu, ' , ')
			.replace(/\p{So}/gu, (emoji) => (EMOJI.includes(emoji) ? ` , ${emoji} , ` : ' . '))
			.replace(/[^\p{L}\p{N}\p{So} ,?]+/gu, ' . ')
			.replace(/\?[ ?]*/g, ' ? . ')
			.replace(/(\p{L})\1{2,}/gu, '$1')
			// "ST0P", "STOP36180", "stop2quit"
			.replace(/(?<=\p{L})0(?=\p{L})/gu, 'o')
			.replace(/(?<=\p{L})(?=\d)|(?<=\d)(?=\p{L})/gu, ' ')
			.replace(/ +/g, ' ')
			// "Sent from my iPhone"
			.replace(/ (?:envoyee? (?:de|depuis) mon|sent from my) [^.?]*/g, ' ')
			// A threat needs no comma: "Unsubscribe me or else ..."
			.replace(/ (?=(?:sinon|otherwise|or (?:else|i|ill)|ou je) )/g, ' , ')
			// "d accord", as some write it
			.replace(/(?<= )([cdjlmnst]|qu) (?=[aeiouy][a-z])/g, '$1')
			// "d'arrêter"
			.replace(
				/(?<= )d(?=(?:(?:arret|effac|enlev|envoy|ot)er|etre|offres?|alertes?) )/g,
				'de ',
			)
			.replace(COURTESIES, ', ')
			.split('. ')
			.map((sentence) => sentence.split(', ').map((clause) => clause.trimStart()))
			.map((clauses) => clauses.filter((clause) => clause !== ''))
			.filter((clauses) => clauses.length > 0)
	);
}

function oneOf(table: string): string {
	return `(?:${phrasesOf(table).join('|')})`;
}

/** Regular expressions for the phrases of a table. In them, each word has the space after it. */
function phrasesOf(table: string): string[] {
	const phrases = table.trim().split(/[,\n]/);
	return phrases.map(compiled);
}

function compiled(phrase: string): string {
	return phrase.replace(TOKEN, (token, part?: string, word?: string, ending = '') => {
		if (part !== undefined) return compiled(PARTS[part]);
		if (word === undefined) return NOTATION[token.trim()];
		return `${word.replaceAll('#', '\\d')}${ending && `(${ending})?`} `;
	});
}
