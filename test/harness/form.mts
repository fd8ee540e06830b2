/** A node's form in the editor, filled in as a user fills it in: by mouse and keyboard. */
import {
	type INodeParameters,
	type INodeProperties,
	type INodePropertyCollection,
	type INodePropertyOptions,
	type INodeTypeDescription,
	NodeHelpers,
	type NodeParameterValueType,
} from 'n8n-workflow';
import type { Locator, Page } from 'playwright-core';

/** The value of a resource locator, with the name that the dropdown shows for it. */
interface Located {
	mode: string;
	value: string;
}

/**
 * The fields that the form shows for these parameters, from top to bottom.
 *
 * @param parameters those that differ from the defaults
 */
export function shownFields(
	description: INodeTypeDescription,
	parameters: INodeParameters,
): INodeProperties[] {
	const node = { typeVersion: 1 };
	const all = NodeHelpers.getNodeParameters(
		description.properties,
		parameters,
		true,
		false,
		node,
		description,
	);
	return description.properties.filter(
		(field) =>
			field.type !== 'hidden' &&
			field.isNodeSetting !== true &&
			NodeHelpers.displayParameter(all ?? {}, field, node, description),
	);
}

/** The labels that the form shows for fields; some have none. */
export function labelsOf(fields: INodeProperties[]): string[] {
	return fields
		.filter(({ type }) => type !== 'notice' && type !== 'resourceMapper')
		.map(({ displayName }) => displayName);
}

/** Fills in the form in an open panel. */
export class Form {
	readonly #panel: Locator;
	readonly #page: Page;
	readonly #nameOf: (id: string) => string | undefined;

	/**
	 * @param panel the node's panel, as `Editor.openNode` gives it
	 * @param nameOf the name under which a dropdown of lists, campaigns or columns offers an ID
	 */
	constructor(panel: Locator, nameOf: (id: string) => string | undefined) {
		this.#panel = panel;
		this.#page = panel.page();
		this.#nameOf = nameOf;
	}

	/** The labels from top to bottom, those of n8n's own settings of a node left out. */
	async labels(): Promise<string[]> {
		const form = this.#panel.getByTestId('node-parameters');
		const labels = form.locator('[data-test-id="input-label"]:visible');
		// Below a label's own line is the switch between fixed and expression.
		return (await labels.allInnerTexts()).map((text) => text.split('\n')[0].trim());
	}

	/** Fills in the values, each in the field that is for it, from top to bottom. */
	async fill(description: INodeTypeDescription, parameters: INodeParameters): Promise<void> {
		for (const field of shownFields(description, parameters)) {
			const value = parameters[field.name];
			if (value !== undefined && field.name !== 'operation') await this.#set(field, value);
		}
	}

	/** @param within where the field is, when its name alone does not say it */
	async #set(
		field: INodeProperties,
		value: NodeParameterValueType,
		within = this.#panel,
	): Promise<void> {
		const input = within.getByTestId(`parameter-input-${field.name}`).last();
		switch (field.type) {
			case 'options':
				return await this.#pick(
					input,
					nameOfOption(field, value) ?? this.#nameOf(String(value)) ?? '',
				);
			case 'boolean':
				if (value !== field.default) await input.locator('.el-switch').click();
				return;
			case 'resourceLocator':
				return await this.#locate(field, value as unknown as Located);
			case 'resourceMapper':
				return await this.#map(value as { value: Record<string, string> });
			case 'collection':
				return await this.#addOptions(field, value as INodeParameters);
			case 'fixedCollection':
				return await this.#addRows(field, value as Record<string, INodeParameters[]>);
			default:
				return await this.#type(input, String(value));
		}
	}

	async #type(input: Locator, text: string): Promise<void> {
		const editor = input.locator('.cm-content');
		if (await editor.count()) {
			await editor.click();
			await this.#page.keyboard.insertText(text);
			return;
		}
		await input.locator('input, textarea').first().fill(text);
	}

	/** Chooses an option of a dropdown. */
	async #pick(dropdown: Locator, name: string): Promise<void> {
		const options = this.#page.getByTestId('parameter-input-item').filter({ visible: true });
		const option = options.getByText(name, { exact: true });
		// A click opens nothing while n8n still asks for what is to be offered.
		for (let attempt = 1; attempt <= 5 && !(await option.isVisible()); attempt++) {
			await dropdown.click();
			await option.waitFor({ timeout: 3_000 }).catch(() => undefined);
		}
		await option.click();
	}

	async #locate(field: INodeProperties, { mode, value }: Located): Promise<void> {
		const locator = this.#panel.getByTestId(`resource-locator-${field.name}`);
		if (mode === 'list') {
			await locator.getByTestId('rlc-input').click();
			const item = this.#page.getByTestId('rlc-item').filter({ visible: true });
			await item.getByText(this.#nameOf(value) ?? value, { exact: true }).click();
			return;
		}
		await locator.getByTestId('rlc-mode-selector').click();
		await this.#page.getByTestId(`mode-${mode}`).filter({ visible: true }).click();
		await locator.getByTestId('rlc-input').fill(value);
	}

	async #map({ value }: { value: Record<string, string> }): Promise<void> {
		for (const [column, text] of Object.entries(value)) {
			const name = this.#nameOf(column) ?? column;
			await this.#type(this.#panel.getByTestId(`parameter-input-${name}`), text);
		}
	}

	async #addOptions(field: INodeProperties, values: INodeParameters): Promise<void> {
		const item = this.#item(field);
		const options = field.options as INodeProperties[];
		for (const [index, [name, value]] of Object.entries(values).entries()) {
			const option = options.find((of) => of.name === name);
			if (!option) throw new Error(`${field.displayName} has no ${name}`);
			await item.getByTestId('collection-parameter-add').last().click();
			// The only one that is left is added without a question.
			if (options.length - index > 1) {
				await this.#page
					.getByTestId('collection-parameter-option')
					.filter({ visible: true })
					.getByText(option.displayName, { exact: true })
					.click();
			}
			if (value !== undefined) await this.#set(option, value, item);
		}
	}

	async #addRows(
		field: INodeProperties,
		groups: Record<string, INodeParameters | INodeParameters[]>,
	): Promise<void> {
		const collection = this.#panel.getByTestId(`fixed-collection-${field.name}`);
		for (const [group, rows] of Object.entries(groups)) {
			const { values } = (field.options as INodePropertyCollection[]).find(
				({ name }) => name === group,
			)!;
			for (const row of [rows].flat()) {
				// Some open with their fields.
				if (!Object.hasOwn(field.default as object, group)) {
					await collection.getByTestId('fixed-collection-add').click();
				}
				for (const inner of values) {
					const value = row[inner.name];
					if (value !== undefined) await this.#set(inner, value, collection);
				}
			}
		}
	}

	/** The block of a field with its label. */
	#item({ displayName }: INodeProperties): Locator {
		const label = this.#page.getByTestId('input-label').getByText(displayName, { exact: true });
		return this.#panel.getByTestId('parameter-item').filter({ has: label }).last();
	}
}

function nameOfOption(field: INodeProperties, value: NodeParameterValueType): string | undefined {
	const options = (field.options ?? []) as INodePropertyOptions[];
	return options.find((of) => of.value === value)?.name;
}
