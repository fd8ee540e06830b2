import { BLACKLISTS, type BlacklistKind } from '../shared/service/blacklists';
import { isFrenchFixedLine } from '../shared/service/frenchPlan';
import { canonicalNumber, parseNumber } from '../shared/service/number';

/** Reasons why contacts of a list get nothing. Each contact counts under the first one that applies. */
export type Exclusion = 'invalidNumbers' | 'fixedLines' | BlacklistKind | 'duplicates';

/** A contact of a list, with the values that the message needs. */
export interface Addressee {
	/** As the list has it. */
	identifier: string;
	/** In international format, where it is a phone number. */
	number: string;
	excluded?: Exclusion;
	/** By column ID. */
	values: Readonly<Record<string, string>>;
}

/** Decides which contacts of a list get a campaign. Of several with the same number, the first one does. */
export class Audience {
	private readonly recipients = new Set<string>();

	constructor(private readonly blacklists: Record<BlacklistKind, ReadonlySet<string>>) {}

	/** The next contact of the list. */
	next(identifier: string): Pick<Addressee, 'number' | 'excluded'> {
		const number = canonicalNumber(identifier);
		const excluded = this.exclusionOf(identifier, number);
		if (excluded === undefined) this.recipients.add(number);
		return { number, excluded };
	}

	private exclusionOf(identifier: string, number: string): Exclusion | undefined {
		// A number that the service holds without a + may be a French one all the same.
		if (!canBeTexted(identifier) && !canBeTexted(number)) {
			return isFrenchFixedLine(number) ? 'fixedLines' : 'invalidNumbers';
		}
		const blacklist = BLACKLISTS.find((kind) => this.blacklists[kind].has(number));
		return blacklist ?? (this.recipients.has(number) ? 'duplicates' : undefined);
	}
}

function canBeTexted(number: string): boolean {
	try {
		parseNumber(number, { fixedLines: 'refuse' });
		return true;
	} catch {
		return false;
	}
}
