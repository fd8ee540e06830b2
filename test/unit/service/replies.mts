import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Intent } from '../../../nodes/shared/service/intent.ts';

const MEANINGS: Intent[] = ['stop', 'help', 'yes', 'no', 'other'];

/**
 * Replies under what a person would say they mean, a file for each meaning and a line for each reply; `other` is whatever
 * isn't plain. Each one is there for a phrase, a rule or a risk of its own. Sources: intent.test.mts.
 */
export const REPLIES = repliesIn('replies');

/**
 * Replies that were written down before `phrases.ts` was, from what people answer to appointments, deliveries, offers
 * and wrong numbers. They hold the grammar to what it was not written for: whoever changes it adds no phrase for them.
 */
export const HELD_OUT = repliesIn('replies/held-out');

/** Each reply with its meaning. */
function repliesIn(folder: string) {
	return MEANINGS.flatMap((meaning) =>
		readFileSync(join(import.meta.dirname, folder, `${meaning}.txt`), 'utf8')
			.split('\n')
			.filter((line) => line !== '')
			.map((line) => [unescaped(line), meaning] as const),
	);
}

/** Writes characters that nobody sees: `\\n`, `\\u200b`. */
function unescaped(line: string): string {
	return line
		.replaceAll('\\n', '\n')
		.replaceAll('\\r', '\r')
		.replaceAll(/\\u([\da-f]{4})/g, (_, code: string) =>
			String.fromCharCode(parseInt(code, 16)),
		);
}
