/** What the docs point to is there: links, their sections, files, commands, versions. */
import { dirname, join } from 'node:path';
import { n8nFolders } from '../bootstrap.mjs';
import { allPages, exists, found, read, sectionOf } from './files.mts';

const STEPS = ['all', 'lint', 'types', 'build', 'unit', 'engine', 'e2e', 'long'];
const FILES = /`((?:test|nodes|docs|workflows|credentials|\.github)\/[\w./-]*)`/g;

/** The sections of a page, as GitHub names them in links. */
const anchorsOf = (page: string) =>
	found(read(page), /^#+ (.+)$/gm).map((title) =>
		title
			.toLowerCase()
			.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
			.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
			.replaceAll(' ', '-'),
	);

function isThere(page: string, target: string): boolean {
	const [path, section] = target.split('#');
	const file = path === '' ? page : join(dirname(page), path);
	return exists(file) && (section === undefined || anchorsOf(file).includes(section));
}

/** @returns the mistakes */
export function checkLinks(): string[] {
	const { scripts } = JSON.parse(read('package.json'));
	const mistakes = allPages.flatMap((page) => {
		const text = read(page);
		const links = found(text, /\]\(([^)\s]+)\)/g).filter(
			(target) => !/^(https?|mailto):/.test(target) && !isThere(page, target),
		);
		const files = found(text, FILES).filter((file) => !exists(file));
		const commands = found(text, /\bnpm run ([\w:-]+)/g).filter((name) => !(name in scripts));
		const steps = found(text, /\bnpm test -- (\w+)/g).filter((name) => !STEPS.includes(name));
		return [
			...links.map((target) => `${page}: the link to ${target} leads nowhere`),
			...[...files, ...commands, ...steps].map((name) => `${page}: there is no ${name}`),
		];
	});
	return [...mistakes, ...checkVersions()];
}

/** The README names the versions of n8n that the tests run on, exactly. */
function checkVersions(): string[] {
	const locked = n8nFolders.flatMap((folder) =>
		found(read(`test/harness/${folder}/pnpm-lock.yaml`), /^ {2}n8n@(\d+\.\d+\.\d+):$/gm),
	);
	const named = sectionOf('README.md', 'Compatibility').match(/\b\d+\.\d+\.\d+\b/g) ?? [];
	const [wanted, is] = [locked, named].map((versions) => [...versions].sort().join(', '));
	return wanted === is ? [] : [`README.md: the tests run on n8n ${wanted}, not on ${is}`];
}
