import type { INodeProperties } from 'n8n-workflow';
import { readChoice, readOption } from '../../shared/service/choices';
import { splitList, type Parameters } from '../parameters';
import { blacklisted } from './blacklisted';
import { creditsLow, readThreshold, thresholdField } from './creditsLow';
import { replies } from './reply';
import type { Source } from './Source';
import { statisticsChanged } from './statisticsChanged';
import { STATES, statesOption, statusChanged } from './statusChanged';
import { readTargets, watchFields } from './targets';

/** An event that can start the workflow. */
export interface TriggerEvent {
	/** The event as the parameter `events` and the items name it. */
	value: string;
	/** As the editor shows it. */
	name: string;
	description: string;
	/** Said by a test event when the service has none; unset where there is always one. */
	nothing?: string;
	/** Fields that are shown for this event only. */
	fields?: INodeProperties[];
	/** A field that it adds to Options. */
	option?: INodeProperties;
	/** It has a source for each category, or one for the whole account. */
	isOfCategory?: boolean;
	/**
	 * The source that a poll asks, as the fields have it.
	 *
	 * @throws InputError for what the user has to correct
	 */
	source(parameters: Parameters, category: string | undefined): Source;
}

/**
 * The events, in the order in which a poll asks for them. Those that ask the service the same thing follow
 * each other, so that it is asked once.
 */
export const EVENTS: readonly TriggerEvent[] = [
	{
		value: 'reply',
		name: 'Reply Received',
		description: 'A recipient replied to a message',
		nothing: 'No reply has arrived yet',
		isOfCategory: true,
		source: (_, category) => replies(category),
	},
	{
		value: 'unsubscribed',
		name: 'Number Unsubscribed',
		description: 'A recipient replied STOP',
		nothing: 'No number has unsubscribed yet',
		isOfCategory: true,
		source: (_, category) => blacklisted('unsubscribed', 'unsubscribers', category),
	},
	{
		value: 'bounced',
		name: 'Number Bounced',
		description: 'A number is not assigned to anyone',
		nothing: 'No number has bounced yet',
		isOfCategory: true,
		source: (_, category) => blacklisted('bounced', 'bounces', category),
	},
	{
		value: 'statisticsChanged',
		name: 'Statistics Changed',
		description: 'A counter changed, such as the number of delivered messages',
		nothing: 'There are no statistics yet',
		isOfCategory: true,
		source: (_, category) => statisticsChanged(category),
	},
	{
		value: 'creditsLow',
		name: 'Credits Low',
		description: 'An alert that your credits run low: fewer than a threshold',
		fields: [thresholdField],
		source: (parameters) => creditsLow(readThreshold(parameters)),
	},
	{
		value: 'statusChanged',
		name: 'Status Changed',
		description: 'A message that you watch was delivered, opened, bounced and so on',
		nothing: 'None of the messages that you watch was found',
		fields: watchFields,
		option: statesOption,
		source: (parameters) => {
			const { options } = parameters;
			const field = statesOption.displayName;
			const states = splitList(readOption(options, statesOption.name, field) ?? [], field);
			for (const state of states) readChoice(state, STATES, field);
			return statusChanged(readTargets(parameters), states);
		},
	},
];

/** The text for a service that has nothing for the chosen events. */
export function nothingFor(
	[first, ...others]: readonly TriggerEvent[],
	categories: readonly string[],
): string {
	const nothing = others.length === 0 ? first.nothing : undefined;
	const advice = categories.length > 0 ? " Check the spelling of 'Categories'." : '';
	return `${nothing ?? 'The service has no entry for the chosen events'}.${advice}`;
}

/**
 * The sources of a trigger.
 *
 * @param events the chosen ones
 * @param categories none: the whole account
 * @throws InputError for what the user has to correct
 */
export function sourcesOf(
	events: readonly TriggerEvent[],
	categories: readonly string[],
	parameters: Parameters,
): Source[] {
	const places = categories.length > 0 ? categories : [undefined];
	const ofCategories = events.filter(({ isOfCategory }) => isOfCategory);
	const others = events.filter(({ isOfCategory }) => !isOfCategory);
	return [
		...places.flatMap((category) =>
			ofCategories.map((event) => ({ ...event.source(parameters, category), category })),
		),
		...others.map((event) => event.source(parameters, undefined)),
	];
}
