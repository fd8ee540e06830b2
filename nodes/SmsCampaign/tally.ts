/** Contacts that are named where something is counted. */
const EXAMPLES = 5;

/** Contacts that something is true of: how many, and the numbers of the first five. */
export class Tally {
	contacts = 0;
	readonly examples: string[] = [];

	add(number: string): void {
		this.contacts++;
		if (this.examples.length < EXAMPLES) this.examples.push(number);
	}

	/** A sentence about them; none where there are none. */
	tell(what: string, text: string): string[] {
		if (this.contacts === 0) return [];
		return [`${counted(this.contacts, what)} ${text}: ${this.describe()}.`];
	}

	/** Their numbers, for a sentence. */
	describe(): string {
		const more = this.contacts - this.examples.length;
		return this.examples.join(', ') + (more > 0 ? ` and ${inWords(more)} more` : '');
	}
}

/** A number of things, with separators for thousands. */
export function counted(count: number, what: string): string {
	return `${inWords(count)} ${what}${count === 1 ? '' : 's'}`;
}

export function inWords(count: number): string {
	return count.toLocaleString('en-US');
}
