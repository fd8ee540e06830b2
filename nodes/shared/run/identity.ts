import { fingerprint } from './fingerprint';
import type { Prepared } from './operation';
import type { RequestIdentity } from './receipts';

/** Checksums of an item, by which a retry recognises it. */
export function identityOf(
	{ target, content = target, dedupeBy = [] }: Prepared,
	source?: readonly unknown[],
): RequestIdentity {
	return {
		target: target && fingerprint(...target),
		content: content && fingerprint(...content),
		source: source && fingerprint(...source),
		dedupeKeys: dedupeBy.map(({ what, value }) => fingerprint(what, value) ?? value),
	};
}
