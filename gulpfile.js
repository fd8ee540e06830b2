const { mkdir, readFile, rm, writeFile } = require('node:fs/promises');
const { dirname, join } = require('node:path');
const { Transform } = require('node:stream');
const { dest, src } = require('gulp');

/** Removes what an earlier build left. */
const clean = () => rm('dist', { recursive: true, force: true });

/** Leaves out of JSON what only people read. */
const compactJson = () =>
	new Transform({
		objectMode: true,
		transform(file, _, done) {
			if (file.extname === '.json')
				file.contents = Buffer.from(JSON.stringify(JSON.parse(file.contents)));
			done(null, file);
		},
	});

/** Copies what tsc doesn't: icons, codex files and output schemas, each to its place in dist. */
const assets = () =>
	src(
		['credentials', 'nodes'].map((folder) => `${folder}/**/*.{svg,png,json}`),
		{ base: '.', encoding: false }, // gulp 5 would rewrite PNGs as text
	)
		.pipe(compactJson())
		.pipe(dest('dist'));

const LIBRARY = dirname(require.resolve('libphonenumber-js/package.json'));
/** Names that nodes/shared/service/vendor/libphonenumber.d.ts declares, by module of the library. */
const EXPORTS = {
	Metadata: "require('./build/metadata.js').default",
	parsePhoneNumber: "require('./build/parsePhoneNumber.js').default",
	metadata: "require('./metadata.max.json')",
	examples: "require('./examples.mobile.json')",
};
const REQUIRED = /require\(["'](\.{1,2}\/[^"']+)["']\)/g;

/**
 * Puts the phone number library into dist, as a package may have no runtime dependencies: its own modules as they
 * are, in one file, with its licence beside it.
 */
async function library() {
	const { version } = require('libphonenumber-js/package.json');
	const license = await readFile(join(LIBRARY, 'LICENSE'), 'utf8');
	const entry = Object.entries(EXPORTS).map(([name, value]) => `exports.${name} = ${value};`);
	const modules = new Map();
	await add('./index.js', entry.join('\n'));
	const folder = 'dist/nodes/shared/service/vendor';
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, 'libphonenumber.LICENSE.txt'), license);
	await writeFile(
		join(folder, 'libphonenumber.js'),
		[
			`// libphonenumber-js ${version}, MIT: see libphonenumber.LICENSE.txt. The modules are those of the package.`,
			"'use strict';",
			'const modules = {',
			...[...modules].map(
				([name, code]) => `'${name}': function (module, exports, require) {\n${code}\n},`,
			),
			'};',
			'const loaded = {};',
			'function load(name) {',
			'	if (loaded[name] === undefined) {',
			'		loaded[name] = { exports: {} };',
			'		modules[name](loaded[name], loaded[name].exports, load);',
			'	}',
			'	return loaded[name].exports;',
			'}',
			"module.exports = load('./index.js');",
			'',
		].join('\n'),
	);

	async function add(name, text) {
		if (modules.has(name)) return;
		modules.set(name, '');
		const source = text ?? (await readFile(join(LIBRARY, name), 'utf8'));
		const code = source.replace(/^\/\/# sourceMappingURL=.*$/gm, '').trim();
		const required = [];
		const linked = code.replace(REQUIRED, (_, path) => {
			required.push(`./${join(dirname(name), path)}`);
			return `require('${required.at(-1)}')`;
		});
		modules.set(name, name.endsWith('.json') ? `module.exports = ${code};` : linked);
		for (const path of required) await add(path);
	}
}

module.exports = { clean, assets, library };
