/** GSM 03.38 default alphabet: one septet each. */
const GSM_BASIC = new Set(
	'@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** GSM 03.38 extension table: an escape and one more septet. */
const GSM_EXTENSION = new Set('\f^{}\\[~]|€');

/** How a text goes over the air. */
export interface SegmentCount {
	/** GSM-7 holds 160 septets in one segment, UCS-2 70 code units; 153 and 67 when there are several. */
	encoding: 'GSM-7' | 'UCS-2';
	/** Characters as a person counts them (code points). */
	characters: number;
	/** Septets (GSM-7) or 16-bit code units (UCS-2). */
	units: number;
	segments: number;
	/** Units that still fit into the last segment. */
	unitsLeft: number;
}

/**
 * Counts the segments of a text by GSM 03.38 (3GPP TS 23.038). How the service computes credits is
 * not documented; this is what operators do.
 */
export function countSegments(text: string): SegmentCount {
	const characters = [...text];
	const gsm = characters.every((c) => GSM_BASIC.has(c) || GSM_EXTENSION.has(c));
	const widths = characters.map((c) => (gsm ? (GSM_EXTENSION.has(c) ? 2 : 1) : c.length));
	const units = widths.reduce((sum, width) => sum + width, 0);
	const [single, part] = gsm ? [160, 153] : [70, 67];
	if (units <= single) {
		const segments = units === 0 ? 0 : 1;
		return {
			encoding: gsm ? 'GSM-7' : 'UCS-2',
			characters: characters.length,
			units,
			segments,
			unitsLeft: single - units,
		};
	}
	// A two-unit character is never cut in half: it moves to the next segment as a whole.
	let segments = 1;
	let used = 0;
	for (const width of widths) {
		if (used + width > part) {
			segments++;
			used = 0;
		}
		used += width;
	}
	return {
		encoding: gsm ? 'GSM-7' : 'UCS-2',
		characters: characters.length,
		units,
		segments,
		unitsLeft: part - used,
	};
}
