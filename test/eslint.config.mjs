/**
 * The second ESLint pass: the tests, and the rules that know types. The configuration at the root has
 * to stay n8n's default, which does neither.
 *
 *   eslint --config test/eslint.config.mjs .
 */
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const product = ['nodes/**/*.ts', 'credentials/**/*.ts'];
const tests = ['test/**/*.mts'];
const programs = ['**/*.mjs'];

export default defineConfig([
	globalIgnores(['dist', 'test-results', '.demo']),
	{
		files: [...product, ...tests, ...programs],
		extends: [tseslint.configs.recommended],
		linterOptions: { reportUnusedDisableDirectives: 'error' },
		rules: {
			// `const { secret, ...rest } = …` leaves something out.
			'@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
		},
	},
	{
		files: [...product, ...tests],
		extends: [tseslint.configs.recommendedTypeCheckedOnly],
		languageOptions: { parserOptions: { projectService: true } },
		rules: {
			'@typescript-eslint/return-await': ['error', 'always'],
			'@typescript-eslint/switch-exhaustiveness-check': [
				'error',
				{ considerDefaultExhaustiveForUnions: true },
			],
			// A function may be async because its caller wants a promise.
			'@typescript-eslint/require-await': 'off',
			// n8n's types allow an object wherever there is a value.
			'@typescript-eslint/no-base-to-string': 'off',
			'@typescript-eslint/restrict-template-expressions': 'off',
		},
	},
	{
		files: tests,
		rules: {
			// The JSON of an answer is what came, whatever it is: the test judges it.
			'@typescript-eslint/no-explicit-any': 'off',
			'@typescript-eslint/no-unsafe-argument': 'off',
			'@typescript-eslint/no-unsafe-assignment': 'off',
			'@typescript-eslint/no-unsafe-call': 'off',
			'@typescript-eslint/no-unsafe-member-access': 'off',
			'@typescript-eslint/no-unsafe-return': 'off',
			// The result of a factory may be taken apart.
			'@typescript-eslint/unbound-method': 'off',
		},
	},
]);
