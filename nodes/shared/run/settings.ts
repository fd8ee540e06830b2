/** What a user can choose for a run as a whole. */
export interface RunSettings {
	/** Nothing is sent as long as one item is wrong, even where the user continues on fail. */
	stopsAtInvalid?: boolean;
	/** The fields of an input item are kept beside what became of it. */
	includesInput?: boolean;
	/** Credits after which nothing more begins. */
	maxCredits?: number;
}

/** A line above the output. */
export interface Hint {
	message: string;
	type: 'info' | 'warning';
}
