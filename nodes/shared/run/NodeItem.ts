import type { IBinaryData, IDataObject, INode } from 'n8n-workflow';
import { readOptions } from '../fields/options';
import type { Options } from '../service/choices';
import type { Item } from './operation';
import type { Waiting } from './waiting';

/** What the items of a run are read from: n8n's context of it, or one for each. */
export interface ItemSource extends Pick<Item, 'country' | 'timeZone' | 'now'> {
	node: INode;
	/** @throws {Error} of n8n, for an expression that can't be evaluated */
	parameter(index: number, name: string, fallback?: unknown): unknown;
	/** A resource locator, by the value that was chosen or typed in it. */
	chosen(index: number, name: string): unknown;
	evaluate(index: number, text: string): unknown;
	file: Item['file'];
	waiting?: () => Waiting;
}

/** An input item, read when it is asked. A run keeps tens of thousands of them: each is small. */
export class NodeItem implements Item {
	private read?: Options;

	constructor(
		private readonly source: ItemSource,
		readonly index: number,
		readonly json: IDataObject,
	) {}

	get country(): string {
		return this.source.country;
	}

	get timeZone(): string {
		return this.source.timeZone;
	}

	get now(): number {
		return this.source.now;
	}

	get options(): Options {
		// n8n evaluates all of its expressions each time, at 0.45 ms apiece.
		return (this.read ??= readOptions((name, fallback) => this.parameter(name, fallback)));
	}

	get waiting(): (() => Waiting) | undefined {
		return this.source.waiting;
	}

	parameter(name: string, fallback?: unknown): unknown {
		return this.source.parameter(this.index, name, fallback);
	}

	template(name: string): unknown {
		const text = templateOf(this.source.node, name);
		return text === undefined ? this.parameter(name) : this.source.evaluate(this.index, text);
	}

	chosen(name: string): unknown {
		return this.source.chosen(this.index, name);
	}

	varies(option: string): boolean {
		return isExpression(this.source.node, option);
	}

	async file(content: Buffer, name: string, mimeType: string): Promise<IBinaryData> {
		return await this.source.file(content, name, mimeType);
	}
}

/** Whether an option was typed as an expression. */
function isExpression({ parameters }: INode, option: string): boolean {
	const { options } = parameters as { options?: Record<string, unknown> };
	const typed = options?.[option];
	return typeof typed === 'string' && typed.startsWith('=');
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
