import type { IDataObject, INode } from 'n8n-workflow';
import type { Expression, Item, NumberUse } from '../fields/item';
import { allCountries } from '../service/allowedCountries';
import type { Options } from '../service/choices';
import type { InputError } from '../service/InputError';
import { canonicalNumber, parseNumber } from '../service/number';
import type { Host } from './host';
import { fieldValue, partsOf } from './plainFields';

/** The collections of a form, by their parameter names. */
const COLLECTIONS = ['options', 'safeguards'] as const;

/** An input item, read when it is asked. A run keeps tens of thousands of them: each is small. */
export class NodeItem implements Item {
	forbidden: InputError | undefined = undefined;
	private read?: Options;

	constructor(
		readonly run: Host,
		readonly index: number,
		readonly json: IDataObject,
	) {}

	number({
		anyCountry = false,
		typed = this.parameter('number'),
		...how
	}: NumberUse = {}): string {
		const { country, countryRule = allCountries } = this.run.account;
		const isOnlyLookedUp = anyCountry && how.fixedLines !== 'refuse';
		const example = isOnlyLookedUp ? 'accept' : 'refuse';
		const number = parseNumber(typed, { ...how, country, example });
		if (!anyCountry) this.forbidden = countryRule(canonicalNumber(number));
		return number;
	}

	get options(): Options {
		// n8n evaluates all of its expressions each time, at 0.45 ms apiece.
		return (this.read ??= this.readOptions());
	}

	private readOptions(): Options {
		const collections = COLLECTIONS.map((name) => this.parameter(name, {}) as Options);
		return Object.assign({}, ...collections) as Options;
	}

	parameter(name: string, fallback?: unknown): unknown {
		const plain = this.run.plain?.(name, this.json);
		if (plain !== undefined) return plain.value;
		return this.run.parameter(this.index, name, fallback);
	}

	typed(name: string): unknown {
		return this.run.node.parameters[name];
	}

	parts(name: string | readonly string[], isTemplate = false): Array<string | Expression> {
		const { run, index, json } = this;
		return partsOf(run.node, name, isTemplate).map((part) => {
			if (typeof part === 'string') return part;
			const { code } = part;
			const field = run.plain && fieldValue(code, json);
			const value = () => (field ? field.value : run.evaluate(index, `{{ ${code} }}`));
			return { code, isField: field !== undefined, value };
		});
	}

	template(name: string): unknown {
		const text = templateOf(this.run.node, name);
		return text === undefined ? this.parameter(name) : this.run.evaluate(this.index, text);
	}

	chosen(name: string): unknown {
		// No mode of ours has a pattern by which n8n would take a part of the value.
		const plain = this.run.plain?.(`${name}.value`, this.json);
		if (plain !== undefined) return plain.value;
		return this.run.chosen(this.index, name);
	}

	varies(option: string): boolean {
		const { parameters } = this.run.node;
		return COLLECTIONS.some((name) => {
			const typed = parameters[name] as Options | undefined;
			return isExpression(typed) || hasExpression(typed?.[option]);
		});
	}
}

function isExpression(typed: unknown): boolean {
	return typeof typed === 'string' && typed.startsWith('=');
}

/** Whether there is an expression in a parameter as the workflow stores it. */
function hasExpression(typed: unknown): boolean {
	if (typeof typed !== 'object' || typed === null) return isExpression(typed);
	return Object.values(typed).some(hasExpression);
}

/**
 * A text with expressions in it that n8n doesn't resolve on its own; undefined where it does, or where
 * there are none. What an expression gives is never resolved again.
 */
function templateOf({ parameters }: INode, name: string): string | undefined {
	const typed = parameters[name];
	const isTemplate = typeof typed === 'string' && !typed.startsWith('=') && typed.includes('{{');
	return isTemplate ? typed : undefined;
}
