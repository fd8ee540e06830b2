/** The arguments of `npm run bench`; on Node 20, too. */
export const USAGE = `npm run bench                       everything, about 20 minutes on two calm cores; writes docs/benchmarks.md
npm run bench -- --quick            all targets, in less than 8 minutes; writes nothing
npm run bench -- --only sendBatch   these cases (several with commas); writes nothing
npm run bench -- --items 1000       the comparisons of this many items; writes nothing
npm run bench -- --at-most 200      no comparison of more items: tries everything out; writes nothing
npm run bench -- --poll             what a poll of the trigger costs, without n8n; writes nothing`;

export const OPTIONS = /** @type {const} */ ({
	quick: { type: 'boolean', default: false },
	only: { type: 'string' },
	items: { type: 'string' },
	'at-most': { type: 'string' },
	poll: { type: 'boolean', default: false },
});
