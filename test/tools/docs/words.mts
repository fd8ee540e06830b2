/** The docs call things as the editor does, and n8n as n8n 2 does. */
import { filesIn, read } from './files.mts';

interface Rule {
	pattern: RegExp;
	why: string;
	places: string[];
	/** What may say it all the same. */
	except?: RegExp;
}

const TEXTS = ['nodes', 'credentials', 'docs', 'workflows', 'README.md'];

const RULES: Rule[] = [
	{
		pattern:
			/Look Up Unknown|Resend if Unknown|Emit Existing|Runs From the Editor|Send Batch|Empty List|Delivery Settings|Request Settings|Replaced in \d/,
		why: 'is a former name: a reader looks for it in vain',
		places: [...TEXTS, 'CONTRIBUTING.md'],
	},
	{
		pattern: /\bactivat\w*|\bactive workflow/i,
		why: 'is what n8n 2 calls publish; nodes are still deactivated',
		places: [...TEXTS, 'CHANGELOG.md'],
		except: /\(n8n 1\.x calls it Activate\)|\/\*.*?\*\/|^\s*\/\/.*|activation(Message|Hint):|'activate'/gms,
	},
	{
		pattern: /\bsave (it|the workflow)\b|\band save\b/i,
		why: 'is right in n8n 1 only: n8n 2 saves by itself',
		places: ['nodes', 'workflows', 'README.md'],
	},
];

/** @returns the mistakes */
export function checkWords(): string[] {
	return RULES.flatMap(({ pattern, why, places, except }) =>
		places
			.flatMap((place) => filesIn(place, /\.(ts|json|md|svg)$/))
			.flatMap((file) => {
				const text = except ? read(file).replaceAll(except, '') : read(file);
				const [word] = pattern.exec(text) ?? [];
				return word === undefined ? [] : [`${file}: "${word}" ${why}`];
			}),
	);
}
