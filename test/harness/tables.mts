/** n8n's own data tables, those that the example workflows read and write. */
import type { IDataObject } from 'n8n-workflow';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { N8n, WorkflowDefinition } from './n8n.mts';
import { root } from './package.mts';

/** The workflow that makes them, for users too. */
export const TABLES_FILE = 'example-tables.json';

interface DataTable {
	id: string;
	name: string;
}

/** Columns that n8n adds to each row. */
const SYSTEM_COLUMNS = ['id', 'createdAt', 'updatedAt'];

export class DataTables {
	readonly #n8n: N8n;
	readonly #suffix: string;
	/** Its id, once it was stored. */
	#maker = '';
	#path = '';

	/** @param suffix of the names of all of them, for tests that have tables of their own at the same time */
	constructor(n8n: N8n, suffix = '') {
		this.#n8n = n8n;
		this.#suffix = suffix;
	}

	/** A workflow with their names in the place of those that users have. */
	renamedIn<T extends object>(workflow: T): T {
		const text = JSON.stringify(workflow);
		return JSON.parse(text.replaceAll(/"(SMS [A-Z][a-z]+)"/g, `"$1${this.#suffix}"`)) as T;
	}

	/** Deletes them and makes them anew, by the workflow that users run. */
	async reset(): Promise<void> {
		for (const { id } of await this.#list()) await this.#n8n.rest.delete(`${this.#path}/${id}`);
		await this.make();
	}

	/** Runs the workflow that makes them. */
	async make(): Promise<void> {
		if (!this.#maker) {
			const text = await readFile(join(root, 'workflows', TABLES_FILE), 'utf8');
			const maker = this.renamedIn(JSON.parse(text) as WorkflowDefinition);
			this.#maker = (await this.#n8n.createWorkflow(maker)).id;
		}
		const { status, error } = await this.#n8n.run(this.#maker);
		if (status !== 'success') throw new Error(`No data tables: ${error?.message ?? status}`);
	}

	/** @returns its rows, the oldest first, without the columns of n8n's own; empty fields are null */
	async rows(name: string): Promise<IDataObject[]> {
		const id = await this.#idOf(name);
		const all: IDataObject[] = [];
		for (;;) {
			const params = { skip: all.length, take: 250, sortBy: 'id:asc' };
			const { data } = await this.#n8n.rest.get(`${this.#path}/${id}/rows`, { params });
			all.push(...(data.data as IDataObject[]));
			if (data.data.length === 0 || all.length >= data.count) break;
		}
		return all.map((row) =>
			Object.fromEntries(
				Object.entries(row).filter(([column]) => !SYSTEM_COLUMNS.includes(column)),
			),
		);
	}

	async insert(name: string, ...rows: IDataObject[]): Promise<void> {
		const id = await this.#idOf(name);
		const body = { data: rows, returnType: 'count' };
		await this.#n8n.rest.post(`${this.#path}/${id}/insert`, body);
	}

	/** Changes the rows in which a column has a value. */
	async update(
		name: string,
		[column, value]: [string, string],
		data: IDataObject,
	): Promise<void> {
		const id = await this.#idOf(name);
		const filters = [{ columnName: column, condition: 'eq', value }];
		const body = { filter: { type: 'and', filters }, data };
		await this.#n8n.rest.patch(`${this.#path}/${id}/rows`, body);
	}

	async #list(): Promise<DataTable[]> {
		if (!this.#path) {
			const { data: project } = await this.#n8n.rest.get('/projects/personal');
			this.#path = `/projects/${project.id}/data-tables`;
		}
		const { data } = await this.#n8n.rest.get(this.#path, { params: { take: 100 } });
		return data.data;
	}

	async #idOf(name: string): Promise<string> {
		const wanted = `${name}${this.#suffix}`;
		const found = (await this.#list()).find((table) => table.name === wanted);
		if (!found) throw new Error(`There is no data table '${name}'`);
		return found.id;
	}
}
