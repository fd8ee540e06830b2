import { BLACKLISTED, BLACKLISTS, type BlacklistKind } from '../shared/service/blacklists';
import type { Contact } from '../shared/service/contacts';
import { isFrenchFixedLine } from '../shared/service/frenchPlan';
import { canonicalNumber, parseNumber } from '../shared/service/number';

/** Why contacts of a list get nothing; of each contact, the first that holds is counted. */
export const EXCLUSIONS = [
	'invalidNumbers',
	'fixedLines',
	'unsubscribers',
	'bounces',
	'duplicates',
] as const;
export type Exclusion = (typeof EXCLUSIONS)[number];

/** A contact of a list, as the one who gets a campaign or doesn't. */
export interface Addressee {
	contactId?: string;
	/** In international format, where it is a phone number. */
	number: string;
	excluded?: { as: Exclusion; reason: string };
}

/** Who of a list gets a campaign. */
export class Audience {
	private readonly recipients = new Set<string>();

	constructor(private readonly blacklists: Record<BlacklistKind, ReadonlySet<string>>) {}

	/** The next contact of the list: of several with the same number, the first one gets it. */
	next({ id, identifier = '' }: Contact): Addressee {
		const number = canonicalNumber(identifier);
		const excluded =
			refusalOf(identifier, number) ?? this.blacklisted(number) ?? this.duplicate(number);
		if (excluded === undefined) this.recipients.add(number);
		return {
			...(id === undefined ? {} : { contactId: id }),
			number,
			...(excluded === undefined ? {} : { excluded }),
		};
	}

	private blacklisted(number: string): Addressee['excluded'] {
		const as = BLACKLISTS.find((blacklist) => this.blacklists[blacklist].has(number));
		return as && { as, reason: BLACKLISTED[as] };
	}

	private duplicate(number: string): Addressee['excluded'] {
		if (!this.recipients.has(number)) return undefined;
		return { as: 'duplicates', reason: 'An earlier contact of the list has the same number' };
	}
}

/** Why a number can't be texted. What the service holds without a + may be a French number all the same. */
function refusalOf(identifier: string, number: string): Addressee['excluded'] {
	const reason = problemOf(identifier);
	if (reason === undefined || problemOf(number) === undefined) return undefined;
	return { as: isFrenchFixedLine(number) ? 'fixedLines' : 'invalidNumbers', reason };
}

function problemOf(number: string): string | undefined {
	try {
		parseNumber(number, { fixedLines: 'refuse' });
		return undefined;
	} catch (error) {
		return (error as Error).message;
	}
}
