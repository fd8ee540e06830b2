/** As links and exports of lead forms begin: tel:+33639981234, p:+33639981234. */
const LABEL = /^(?:tel|sms|callto|p):/i;
/** What exports and lists put around a number: '0639981234, ="0639981234", =+33639981234, “0639981234”, 0639981234; */
const AROUND = /^[\s='"`‘’“”«»]+|(?<![\s'"`‘’“”«»;,])[\s'"`‘’“”«»;,]+$/g;
/** A number with decimals of zeros, thousands or both: 639981234.0, 33,639,981,234.00. */
const DECIMAL = /^(\+?(?:\d{7,}|\d{1,3}(?:[,.'’ \u00a0\u202f]\d{3})+))(?:[.,]0+)?$/;
/** 3.3639981234E+10: digits before and behind the point, and how many there are in all but the first. */
const SCIENTIFIC = /^(\+?)(\d{1,3})(?:[.,](\d+))?e\+?(\d{1,3})$/i;
/** A difference, such as Excel makes of +33-639981234, or a fraction. */
const CALCULATED = /^[-\u2212]\d|^\+?\d{7,}\.\d$/;
/** An end of decimals. */
const ZEROS = /^(.*[\d)])[.,](0+)$/s;

/**
 * A number as it was before a spreadsheet took it for an amount, or an export marked it.
 *
 * @returns the texts that it may have been; none where digits are lost
 */
export function unspoiled(text: string): string[] {
	const bare = decoded(text).trim().replace(LABEL, '').replace(AROUND, '');
	const [, whole] = DECIMAL.exec(bare) ?? [];
	if (whole !== undefined) return [whole.replace(/[^+\d]/g, '')];
	const [, plus, first, rest = '', exponent] = SCIENTIFIC.exec(bare) ?? [];
	if (exponent !== undefined) {
		// Zeros at the end are not written: a digit fewer may be a zero, or lost.
		return rest.length === Number(exponent) ? [`${plus}${first}${rest}`] : [];
	}
	if (CALCULATED.test(bare)) return [];
	const [, front = bare, zeros = ''] = ZEROS.exec(bare) ?? [];
	// Behind other dots, they may be digits as well: 06.39.98.12.00. But nobody separates the last digit.
	return front.includes('.') && zeros.length > 1 ? [front, bare] : [front];
}

/** A number out of a web address (%2B33639981234), and in the full-width and Arabic digits that the library reads, too. */
function decoded(text: string): string {
	return text
		.replace(/%2B/gi, '+')
		.replace(/%20|%C2%A0/gi, ' ')
		.replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
		.replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) % 16));
}
