/** The error of a spreadsheet, which is all that its cell holds: #N/A, #REF!, #NV, #¡VALOR!. */
export function isCellError(text: string): boolean {
	return /^#(?:N\/A|NV|[¡¿]?[\p{Lu}/0]+[!?])$/u.test(text.trim());
}

export const CELL_ERROR = 'It is an error of a spreadsheet. Correct the cell.';
