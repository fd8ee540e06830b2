/**
 * Lets Node load the sources of the nodes, and what tests share about them, as vitest does. To be imported before what
 * imports them.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';
import { root } from '../../harness/package.mts';

const products = ['nodes', 'credentials'].map((folder) => pathToFileURL(`${root}/${folder}/`).href);
/** Of n8n-workflow, Node can load the CommonJS build only. */
const workflow = pathToFileURL(createRequire(import.meta.url).resolve('n8n-workflow')).href;
const isProduct = (url = '') => products.some((folder) => url.startsWith(folder));

/** The sources are CommonJS for tsc: their imports have no extension, and types are not marked. */
registerHooks({
	resolve: (specifier, context, next) => {
		if (specifier === 'n8n-workflow') return next(workflow, context);
		if (!specifier.startsWith('.') || !isProduct(context.parentURL))
			return next(specifier, context);
		if (specifier.endsWith('/vendor/libphonenumber'))
			return next('../../harness/libphonenumber.mts', {
				...context,
				parentURL: import.meta.url,
			});
		const file = new URL(`${specifier}.ts`, context.parentURL);
		return next(existsSync(file) ? file.href : `${specifier}/index.ts`, context);
	},
	load: (url, context, next) => {
		if (!isProduct(url)) return next(url, context);
		const { outputText: source } = ts.transpileModule(
			readFileSync(fileURLToPath(url), 'utf8'),
			{ compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 } },
		);
		return { format: 'module', source, shortCircuit: true };
	},
});
