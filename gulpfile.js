const { rm } = require('node:fs/promises');
const { dest, src } = require('gulp');

/** Removes what an earlier build left. */
const clean = () => rm('dist', { recursive: true, force: true });

/** Copies what tsc doesn't: icons, codex files and output schemas, each to its place in dist. */
const assets = () =>
	src(
		['credentials', 'nodes'].map((folder) => `${folder}/**/*.{svg,png,json}`),
		{ base: '.', encoding: false }, // gulp 5 would rewrite PNGs as text
	).pipe(dest('dist'));

module.exports = { clean, assets };
