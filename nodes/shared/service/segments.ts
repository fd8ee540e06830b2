/** GSM 03.38 default alphabet: one septet each. */
const GSM_BASIC = new Set(
	'@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** GSM 03.38 extension table: an escape and one more septet. */
const GSM_EXTENSION = new Set('\f^{}\\[~]|€');

/** Septets in the one segment of a short message, and in each of several; 16-bit code units in UCS-2. */
const UNITS_OF_SEGMENT = { 'GSM-7': [160, 153], 'UCS-2': [70, 67] } as const;

/**
 * The longest message that there can be, in characters: segments are numbered by one byte (3GPP TS
 * 23.040, 9.2.3.24.1), and hold 153 characters at most. The limit of the service is not shown (interface
 * document, section 8), but can't be above this one.
 */
export const LONGEST_MESSAGE = 255 * UNITS_OF_SEGMENT['GSM-7'][1];

/**
 * Counts the segments of a text by GSM 03.38 (3GPP TS 23.038). How the service computes credits is
 * not documented; this is what operators do.
 *
 * @returns `characters` as a person counts them (code points); `units` are septets (GSM-7) or 16-bit code units (UCS-2),
 *   of which `unitsLeft` still fit into the last segment
 */
export function countSegments(text: string) {
	const characters = [...text];
	const isGsm = characters.every((c) => GSM_BASIC.has(c) || GSM_EXTENSION.has(c));
	const encoding = isGsm ? 'GSM-7' : 'UCS-2';
	const widths = characters.map((c) => (isGsm ? (GSM_EXTENSION.has(c) ? 2 : 1) : c.length));
	const units = widths.reduce((sum, width) => sum + width, 0);
	const [single, part] = UNITS_OF_SEGMENT[encoding];
	const size = units <= single ? single : part;
	let segments = 0;
	let unitsLeft = 0;
	// A two-unit character is never cut in half: it moves to the next segment as a whole.
	for (const width of widths) {
		if (width > unitsLeft) {
			segments++;
			unitsLeft = size;
		}
		unitsLeft -= width;
	}
	return {
		encoding,
		characters: characters.length,
		units,
		segments,
		unitsLeft: segments === 0 ? single : unitsLeft,
	};
}
