import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { Account } from '../http/credential';
import type { Options } from '../service/choices';
import type { InputError } from '../service/InputError';
import type { NumberOptions } from '../service/number';

/** How the Phone Number of an item is read. */
export interface NumberUse extends Pick<NumberOptions, 'field' | 'fixedLines'> {
	/** The value of another field; by default, the parameter Phone Number. */
	typed?: unknown;
	/** It is only looked up, or deleted, or kept from messages: its country doesn't matter. */
	anyCountry?: boolean;
}

/** An expression in a parameter. */
export interface Expression {
	/** As it is typed, without its braces. */
	code: string;
	/** It is a field of the item, which is read without n8n's expression engine. */
	isField: boolean;
	/** Its value for the item. @throws {Error} of n8n */
	value(): unknown;
}

/** The values that all items of a run share. */
export interface ItemRun {
	readonly account: Pick<Account, 'country' | 'countryRule' | 'fieldNames'>;
	/** IANA name of the workflow's time zone. */
	readonly timeZone: string;
	/** When it began; milliseconds. */
	readonly now: number;
	/** An agent calls the node as a tool, so there is only one item. */
	readonly isTool: boolean;
	/** It was started in the editor, where hints are read. */
	readonly isManual: boolean;
	/** n8n's context; undefined where an agent calls the node as a tool by itself. */
	readonly execution: IExecuteFunctions | undefined;
}

/** An input item, and what the node's parameters are for it, however n8n runs the node. */
export interface Item {
	readonly index: number;
	readonly json: IDataObject;
	/** A parameter as typed or as its expression gives it. */
	parameter(name: string, fallback?: unknown): unknown;
	/** A parameter as the workflow stores it, with its expressions. */
	typed(name: string): unknown;
	/**
	 * A parameter taken apart: texts, and the expressions between them.
	 *
	 * @param name of the parameter, or the path that leads to it, such as `options.category`
	 * @param isTemplate it is a text as `template` takes it
	 */
	parts(name: string | readonly string[], isTemplate?: boolean): Array<string | Expression>;
	/** A text in n8n's HTML editor, with the expressions in it resolved. */
	template(name: string): unknown;
	/** A resource locator, by the value that was chosen or typed in it. */
	chosen(name: string): unknown;
	/** The options that the user added under Options and Safeguards. */
	readonly options: Options;
	/** Whether an option is an expression, which can be another value for each item. */
	varies(option: string): boolean;
	/**
	 * A phone number, as `parseNumber` gives it, read as the credential says. Unless the country
	 * doesn't matter, the run carries nothing out for a number that 'Allowed Countries' leaves out.
	 *
	 * @throws InputError when it is not a phone number
	 */
	number(use?: NumberUse): string;
	/** Why nothing may be carried out for the number that was read. */
	readonly forbidden: InputError | undefined;
	readonly run: ItemRun;
}
