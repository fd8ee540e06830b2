import {
	COURTESY,
	HELP,
	NO,
	LOOKALIKES,
	PARTS,
	REASON,
	SENTENCES,
	SOME,
	STATEMENTS,
	STOP,
	STOP_ALONE,
	THREATS,
	TURNS,
	YES,
} from './phrases';

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
	if (isAboutAQuotation(message)) return 'other';
	const letters = lettersOfText(
		message
			.replace(SIGNATURE, (name) => (/^[- ]+$/.test(lettersOfText(name)) ? '' : name))
			.replace(SOMEBODY_ELSE, 'somebody'),
	);
	return RULES.find(([, rule]) => rule.test(letters))?.[0] ?? 'other';
}

/** The message that it answers, as phones quote it in reactions: 'Liked "Sale today. STOP 36180"'. */
const QUOTATION = /«[^«»]*»|“[^“”]*”|"[^"]*"|^ *>.*$/gm;

/** Quoted words are somebody else's, unless the reply has no others. */
function isAboutAQuotation(message: string): boolean {
	const own = message.replace(QUOTATION, '');
	return own !== message && sentencesOf(own).length > 0;
}

/** A clause without a phrase of its own: it turns a stop, is unclear, or is a statement beside it. */
const [TURNING, UNCLEAR, STATEMENT] = ['!', '-', '.'];

/** By the letters of the phrases in a text, with a space between its clauses. The first that fits counts. */
const RULES: ReadonlyArray<[Intent, RegExp]> = [
	['other', /!/],
	// A sentence that says it, beside statements and unclear sentences
	['stop', /(?<!\S)[YNRS]*T[YNRST]*(?!\S)/],
	// A word that says it, a question, or a sentence about some messages, beside nothing else
	['stop', /^[YNRUDF ]*(?:S|[PT]\??)(?:[YNRSAUDF ]|[PT]\??)*$/],
	// A word that says it behind what explains it: "You have the wrong person, stop"
	['stop', /^[YNRUDF. ]*\. [R ]*S[SRUDF ]*$/],
	['stop', /^[UDF ]*A[AUDF ]*$/],
	['help', /^[RU ]*H[HU? ]*$/],
	['yes', /^[YU ]+$/],
	// A yes with a thumb down is none, nor is a thumb down with one up
	['no', /^(?:[UDF ]*N[NUDF ]*|[D ]+)$/],
];

const NOTATION: Record<string, string> = {
	...{ '[': '(?:', ']': ')?', '(': '(?:', ')': ')' },
	...{ ' ': '', '\t': '', '<shortCode>': '\\d{2} ?\\d{3} ', '<questionMark>': '\\? ' },
};

const TABLES = {
	T: SENTENCES,
	S: STOP,
	A: STOP_ALONE,
	H: HELP,
	Y: YES,
	N: NO,
	R: REASON,
	U: 'thumbsup',
	D: 'thumbsdown',
	F: 'forbidden',
	[UNCLEAR]: LOOKALIKES,
};
const PHRASES = Object.entries({ ...TABLES, '?': '<questionMark>' }).flatMap(([letter, table]) =>
	phrasesOf(table).map((phrase) => ({ letter, phrase: new RegExp(phrase, 'y') })),
);

function lettersOfText(text: string): string {
	return sentencesOf(text).map(lettersOfSentence).join(' ');
}

/** The letters of its clauses; one that is unclear makes the sentence so. */
function lettersOfSentence(clauses: string[]): string {
	const letters = clauses.map(lettersOf).join(' ');
	return [TURNING, UNCLEAR].find((mark) => letters.includes(mark)) ?? letters;
}

/** A letter for each phrase of a clause, the longest first. */
function lettersOf(clause: string): string {
	if (BEGINS_THREAT.test(clause)) return 'R';
	let letters = '';
	for (let at = 0; at < clause.length; ) {
		let longest = { letter: '', end: at };
		for (const { letter, phrase } of PHRASES) {
			phrase.lastIndex = at;
			if (phrase.test(clause) && phrase.lastIndex > longest.end) {
				longest = { letter, end: phrase.lastIndex };
			}
		}
		if (longest.letter === '') {
			if (TURN.test(clause)) return TURNING;
			return BEGINS_STATEMENT.test(clause) ? STATEMENT : UNCLEAR;
		}
		const isSome = longest.letter === 'T' && ABOUT_SOME.test(clause.slice(at, longest.end));
		letters += isSome ? 'P' : longest.letter;
		at = longest.end;
	}
	return letters;
}
const TURN = anyOf(TURNS);
const BEGINS_STATEMENT = beginningOf(STATEMENTS);
const BEGINS_THREAT = beginningOf(THREATS);
const ABOUT_SOME = anyOf(SOME);

const APOSTROPHES = /['’‘‛ʼ′´`＇]/g;
const INVISIBLE = /[\p{M}\p{Cf}]/gu;
/** A blood group or a number: "O+" is no "o" of somebody who agrees, "N° 5" no "n". */
const SYMBOL = /(?<![\p{L}\p{N}])[on](?=[+＋°º]|[\p{Pd}−](?!\p{L}))|№/giu;
const EMOJI: ReadonlyArray<[word: string, emoji: RegExp]> = [
	['thumbsup', /[👍👌✅✔☑]/gu],
	['thumbsdown', /[👎🙅❌]/gu],
	['forbidden', /[✖✗✘🚫⛔]/gu],
];
/** The name below a closing, or behind "Thanks,". */
const SIGNATURE =
	/(?<=(?:[Cc]ordialement|[Cc]dl?t|[Bb]ien à vous|[Rr]egards|[Ss]incerely)[\s,.!]{1,5}|(?:[Mm]erci|[Tt]hanks|[Tt]hank you), ?)(?:\p{Lu}[\p{L}\p{M}.'’-]{0,30}[\s,]{0,3}){1,4}$/u;
/** "Je ne suis pas Paul", "This is not Sarah": who got the message by mistake. */
const SOMEBODY_ELSE =
	/(?<!\p{L})(?:[Jj]e (?:ne )?suis pas|[Cc](?:e n)?['’]est pas|[Ii](?: a|['’]?)m not|[Tt]his (?:is not|isn['’]?t)) (?:(?:M|Mr|Mrs|Ms|Mme|Mlle|Dr)\.? )?\p{Lu}\p{Ll}[\p{L}'’-]{0,30}(?: \p{Lu}[\p{L}'’-]{0,30}){0,2}(?=\s*(?:[.,;!?\n]|$))/gu;
const COURTESIES = new RegExp(`(?<= )(?:${phrasesOf(COURTESY).join('|')})+`, 'g');

/**
 * The clauses of each sentence: lower case, without accents, apostrophes and courtesies, a space after each word.
 * Marks go first: composing sorts those of a letter, in a time that grows with the square of their number.
 */
function sentencesOf(message: string): string[][] {
	return (
		EMOJI.reduce((text, [word, emoji]) => text.replace(emoji, ` , ${word} , `), ` ${message} `)
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
			.replace(/[^\p{L}\p{N} ,?]+/gu, ' . ')
			.replace(/\?[ ?]*/g, ' ? . ')
			.replace(/(\p{L})\1{2,}/gu, '$1')
			// "STOP36180"
			.replace(/(\p{L})(\d)/gu, '$1 $2')
			.replace(/ +/g, ' ')
			// "Sent from my iPhone"
			.replace(/ (?:envoyee? (?:de|depuis) mon|sent from my) [^.?]*/g, ' ')
			// A threat needs no comma: "Unsubscribe me or else ..."
			.replace(/ (?=(?:sinon|otherwise|or (?:else|i|ill)|ou je) )/g, ' , ')
			// "d accord", as some write it
			.replace(/(?<= )([cdjlmnst]|qu) (?=[aeiouy][a-z])/g, '$1')
			// "d'arrêter"
			.replace(
				/(?<= )d(?=(?:arreter|effacer|enlever|envoyer|etre|oter|offres?|alertes?) )/g,
				'de ',
			)
			.replace(COURTESIES, ', ')
			.split('. ')
			.map(clausesOf)
			.filter((clauses) => clauses.length > 0)
	);
}

function anyOf(table: string): RegExp {
	return new RegExp(`(?<!\\S)(?:${phrasesOf(table).join('|')})`);
}

function beginningOf(table: string): RegExp {
	return new RegExp(`^(?:${phrasesOf(table).join('|')})`);
}

function clausesOf(sentence: string): string[] {
	return sentence
		.split(', ')
		.map((clause) => clause.trimStart())
		.filter((clause) => clause !== '');
}

/** Regular expressions for the phrases of a table. In them, each word has the space after it. */
function phrasesOf(table: string): string[] {
	return table
		.split(/[,\n]/)
		.filter((phrase) => phrase.trim() !== '')
		.map(compiled);
}

function compiled(phrase: string): string {
	return phrase.replace(/<(\w+)>|\w+|[[\]()\s]/g, (token, part?: string) => {
		if (token in NOTATION) return NOTATION[token];
		return part === undefined ? `${token} ` : compiled(PARTS[part]);
	});
}
