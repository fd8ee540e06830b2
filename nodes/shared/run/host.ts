import type {
	IContextObject,
	IDataObject,
	IExecuteFunctions,
	IExecutePaginationFunctions,
	INode,
	IRunExecutionData,
} from 'n8n-workflow';
import type { Expression, Item, ItemRun, NumberUse } from '../fields/item';
import { fieldValue, partsOf } from '../fields/plainFields';
import type { Connection } from '../http/connection';
import type { Account } from '../http/credential';
import { allCountries } from '../service/allowedCountries';
import type { Options } from '../service/choices';
import type { InputError } from '../service/InputError';
import { canonicalNumber, parseNumber } from '../service/number';

/** The part of a run in which n8n's contexts differ. */
interface Context {
	connection: Connection;
	runIndex: number;
	/** Undefined where n8n's router runs the node. */
	readonly execution: IExecuteFunctions | undefined;
	/** Reads without n8n's expression engine; undefined where n8n has to be asked. */
	plain?: (name: string, json: IDataObject) => { value: unknown } | undefined;
	/** @throws {Error} of n8n, for an expression that can't be evaluated */
	parameter: (index: number, name: string, fallback?: unknown) => unknown;
	/** A resource locator, by the value that was chosen or typed in it. */
	chosen: (index: number, name: string) => unknown;
	evaluate: (index: number, text: string) => unknown;
}

/** n8n's part of a run, whatever runs the node. */
export interface Host extends ItemRun, Context {
	account: Account;
	node: INode;
	continueOnFail: boolean;
	/** Another one for each retry by a person; the same for Retry On Fail. */
	executionId: string;
	/** n8n's node context: it survives Retry On Fail and "Retry execution". */
	memory: IContextObject;
	/** Those of all nodes of the execution, as they are now. */
	memories: () => IContextObject[];
	signal: AbortSignal | undefined;
	/** n8n shows its error in the workflow that called it, too, whose retry would begin it anew. */
	isSubWorkflow: boolean;
	/** Writes into n8n's log. */
	log: (text: string) => void;
}

export function hostOf(
	context: IExecuteFunctions | IExecutePaginationFunctions,
	own: Context,
): Host {
	const node = context.getNode();
	return {
		...own,
		account: own.connection.account,
		node,
		continueOnFail: context.continueOnFail(),
		// Where the agent asks the engine, n8n notes at the node where its result goes.
		isTool: own.execution === undefined || node.rewireOutputLogTo === 'ai_tool',
		executionId: context.getExecutionId(),
		memory: context.getContext('node'),
		memories: () => memoriesOf(context),
		signal: context.getExecutionCancelSignal(),
		isManual: isManual(context),
		isSubWorkflow: context.getMode() === 'integrated',
		timeZone: context.getTimezone(),
		now: Date.now(),
		log: (text) => context.logger.info(`${node.name}: ${text}`),
	};
}

/** n8n's context has the execution, without declaring it. */
function memoriesOf(context: object): IContextObject[] {
	const { runExecutionData } = context as { runExecutionData?: IRunExecutionData };
	return Object.values(runExecutionData?.executionData?.contextData ?? {});
}

const TRIALS = ['manual', 'evaluation'];

/**
 * Whether someone tries the workflow out in the editor: a manual execution, an evaluation, the retry of one from the
 * list of executions, or a sub-workflow that it calls. False for all that runs in production.
 */
function isManual(context: IExecuteFunctions | IExecutePaginationFunctions): boolean {
	const mode = context.getMode();
	if (TRIALS.includes(mode)) return true;
	// n8n hands on how an execution began, when it is retried (older versions don't).
	if (mode === 'retry') return TRIALS.includes(context.getExecutionContext?.()?.source ?? '');
	// n8n's context has it, without declaring it.
	const { additionalData = {} } = context as { additionalData?: { rootExecutionMode?: string } };
	return mode === 'integrated' && TRIALS.includes(additionalData.rootExecutionMode ?? '');
}

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
		const typed = this.typed(name);
		// n8n resolves none of them on its own. What one gives is never resolved again.
		const isTemplate =
			typeof typed === 'string' && !typed.startsWith('=') && typed.includes('{{');
		return isTemplate ? this.run.evaluate(this.index, typed) : this.parameter(name);
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
	return typeof typed === 'string' && typed.startsWith('=') && typed.includes('{{');
}

/** Whether there is an expression in a parameter as the workflow stores it. */
function hasExpression(typed: unknown): boolean {
	if (typeof typed !== 'object' || typed === null) return isExpression(typed);
	return Object.values(typed).some(hasExpression);
}
