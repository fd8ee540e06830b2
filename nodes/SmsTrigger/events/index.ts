import type { Settings } from '../settings';
import { blacklisted } from './blacklisted';
import { creditsLow } from './creditsLow';
import { replies } from './reply';
import type { Source } from './Source';
import { statisticsChanged } from './statisticsChanged';
import { statusChanged } from './statusChanged';

/**
 * What a trigger with these settings looks at. Sources that ask the service the same thing follow
 * each other, so that it is asked once.
 */
export function sourcesOf({ events, categories, watched, states, threshold }: Settings): Source[] {
	const places = categories.length > 0 ? categories : [undefined];
	const wanted = new Set<string>(events);
	const sources: Source[] = [];
	for (const category of places) {
		if (wanted.has('reply')) sources.push(replies(category));
		if (wanted.has('unsubscribed')) sources.push(blacklisted('unsubscribed', category));
		if (wanted.has('bounced')) sources.push(blacklisted('bounced', category));
		if (wanted.has('statisticsChanged')) sources.push(statisticsChanged(category));
	}
	if (threshold !== undefined) sources.push(creditsLow(threshold));
	if (watched !== undefined) sources.push(statusChanged(watched, states));
	return sources;
}
