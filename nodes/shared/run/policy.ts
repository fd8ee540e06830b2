import type { IDataObject } from 'n8n-workflow';
import type { Options } from '../service/choices';
import type { Entry } from './entries';
import type { Ended, Failed, Outcome } from './outcome';
import type { Hint, RunSettings } from './settings';
import type { Teller } from './tell';

/** When a run stops, and how what became of its items is told. */
export interface Policy {
	/**
	 * What the user chose for the run as a whole; read from the options of its first item.
	 *
	 * @throws InputError
	 */
	settings(options: Options): RunSettings;
	/** Whether the others are carried out although an item can't be. */
	goesOn(continues: boolean, settings: RunSettings): boolean;
	/** A judge for one run. */
	judge(continues: boolean): StopJudge;
	/** The fields of an item's result. */
	jsonOf(entry: Entry, outcome: Outcome, teller: Teller): IDataObject;
	/**
	 * The error of a run in which the user doesn't continue on fail.
	 *
	 * @returns undefined where it has come to none
	 */
	errorOf(teller: Teller): Error | undefined;
	hintOf(teller: Teller): Hint | undefined;
}

/** Decides, outcome by outcome, when a run is to stop. */
export interface StopJudge {
	/** Whether this outcome turns away all that has not started. */
	stopsAt(outcome: Ended): boolean;
	/** What stopped the run. */
	readonly stoppedBy: Failed | undefined;
}
