/** The part of `npm run lint` that reads the docs: prints each mistake. Exit code 1 for any. */
import './sources.mts';

const checks = [
	(await import('./links.mts')).checkLinks,
	(await import('./words.mts')).checkWords,
	(await import('./names.mts')).checkNames,
	(await import('./pictures.mts')).checkPictures,
];
const mistakes = checks.flatMap((check) => check());
for (const mistake of mistakes) console.error(mistake);
if (mistakes.length > 0) {
	console.error(`\nMistakes in the docs: ${mistakes.length}`);
	process.exitCode = 1;
}
