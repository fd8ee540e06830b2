/** The collections of the forms, and what each of their options says of itself (design, "Parameters"). */
import {
	NodeHelpers,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyCollection,
	type INodePropertyOptions,
} from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { SmsServiceApi } from '../../credentials/SmsServiceApi.credentials.ts';
import { descriptions } from '../descriptions.mts';
import { shownFields } from '../harness/form.mts';
import { operationsOf } from '../harness/settings.mts';

interface Collection {
	node: string;
	operation: string;
	field: INodeProperties;
	entries: INodeProperties[];
}

const collections: Collection[] = Object.entries(descriptions).flatMap(([node, description]) =>
	description.properties
		.filter(({ type, isNodeSetting }) => type === 'collection' && isNodeSetting !== true)
		.flatMap((field) =>
			(operationsOf(field.displayOptions) ?? ['']).map((operation) => ({
				node,
				operation,
				field,
				entries: field.options as INodeProperties[],
			})),
		),
);

const namesIn = (node: string, operation: string, name: string) =>
	collections
		.find((of) => of.node === node && of.operation === operation && of.field.name === name)!
		.entries.map((entry) => entry.name)
		.sort();

describe.each(collections)('$node $operation: $field.displayName', (collection) => {
	const { node, operation, field, entries } = collection;

	test('has the name of its parameter', () => {
		expect({
			options: 'Options',
			safeguards: 'Safeguards',
		}).toHaveProperty(field.name, field.displayName);
	});

	test('has ten entries at most, each in one collection', () => {
		expect(entries.length).toBeLessThanOrEqual(10);
		const others = collections
			.filter((of) => of.node === node && of.operation === operation)
			.flatMap((of) => of.entries.map(({ name }) => name));
		expect(new Set(others).size).toBe(others.length);
	});

	test('adds each switch on, as somebody who adds it wants it, unless it may send twice', () => {
		const switches = entries.filter(({ type }) => type === 'boolean');
		const off = switches.filter((entry) => entry.default !== true).map(({ name }) => name);
		expect(off.filter((name) => !['resendUnknown', 'sendAnyway'].includes(name))).toEqual([]);
	});

	test('says of each entry what it does', () => {
		for (const { displayName, description = '' } of entries) {
			expect(description, displayName).toMatch(/^[A-Z].{20,}/);
			expect(description, displayName).not.toContain('..');
		}
	});
});

/** All fields, with those in collections. */
function allFields(fields: readonly INodeProperties[]): INodeProperties[] {
	return fields.flatMap((field) => [
		field,
		...(field.options ?? []).flatMap((option) => {
			if ('values' in option) return allFields(option.values);
			return 'displayName' in option ? allFields([option]) : [];
		}),
	]);
}

test.each(Object.entries(descriptions))(
	'each field of %s has a description',
	(_, { properties }) => {
		const bare = allFields(properties).filter(
			({ type, name, description = '' }) =>
				!['collection', 'notice', 'hidden'].includes(type) &&
				// n8n wants "Trigger On" without one.
				!['operation', 'columns', 'events'].includes(name) &&
				description.length < 10,
		);
		expect(bare.map(({ displayName }) => displayName)).toEqual([]);
	},
);

describe('Send SMS and Send SMS in Batch', () => {
	test.each([
		['options', ['failIfIncomplete', 'includeInputFields']],
		['safeguards', ['invalidItems']],
	])('have the same %s', (name, onTop) => {
		const ofBatch = namesIn('Sms', 'sendBatch', name);
		expect(ofBatch).toEqual([...namesIn('Sms', 'send', name), ...onTop].sort());
	});

	test('say in one line how they differ', () => {
		const operation = descriptions.Sms.properties.find(({ name }) => name === 'operation')!;
		const lineOf = (wanted: string) =>
			(operation.options as INodePropertyOptions[]).find(({ value }) => value === wanted)!
				.description;
		expect(lineOf('send')).toMatch(/stops at the first problem and fails/i);
		expect(lineOf('sendBatch')).toMatch(/carries on .* reports/i);
	});
});

describe('Allowed Hours', () => {
	const [{ entries }] = collections;
	const field = entries.find(({ name }) => name === 'allowedHours')!;
	const [hours] = field.options as INodePropertyCollection[];

	test('opens with its fields, and is kept as it was opened', () => {
		expect(field.default).toEqual({
			hours: Object.fromEntries(hours.values.map((value) => [value.name, value.default])),
		});
		const through = (options: INodeParameters) => {
			const { Sms } = descriptions;
			const node = { typeVersion: 1 };
			const given = { operation: 'send', options };
			const read = (values: INodeParameters, withDefaults: boolean) =>
				NodeHelpers.getNodeParameters(
					Sms.properties,
					values,
					withDefaults,
					false,
					node,
					Sms,
				)!;
			return read(read(given, false), true).options;
		};
		const opened = { allowedHours: field.default as INodeParameters };
		expect(through(opened)).toEqual(opened);
		expect(through({})).toEqual({});
	});
});

/** The names in a collection of groups, as the editor shows them. */
function groupIn(name: string): string[] {
	const field = allFields(descriptions.Sms.properties).find((one) => one.name === name)!;
	const [{ values }] = field.options as INodePropertyCollection[];
	return values.map(({ displayName }) => displayName);
}
const list = { __rl: true, mode: 'id', value: '1' };
const fieldsOf = (node: string, operation: string) =>
	shownFields(descriptions[node], { operation, list }).map(({ name }) => name);

test.each<[what: string, names: string[], first: string]>([
	[
		'Allowed Hours, as people say it',
		groupIn('allowedHours'),
		'From, To, Days, Outside These Hours, Closed on Holidays, Time Zone',
	],
	// First what the other fields depend on, as n8n does.
	['Limit Wait Time', groupIn('limitWaitTime'), 'Limit Type, Amount, Unit, Max Date and Time'],
	[
		'Approval Options',
		groupIn('approvalOptions'),
		'Type of Approval, Approve Button Label, Disapprove Button Label',
	],
	[
		'upsert, with those that it shares',
		fieldsOf('SmsContact', 'upsert'),
		'operation, list, number, replacesAll, attributes, options',
	],
	['sendAndWait', fieldsOf('Sms', 'sendAndWait'), 'operation, messageType, number, message'],
	['preview', fieldsOf('Sms', 'preview'), 'operation, messageType, number, message, sender'],
	// What few users need comes last.
	[
		'the credential, from its end',
		new SmsServiceApi().properties.map(({ name }) => name).reverse(),
		'fieldNames, allowUnauthorizedCerts, allowHttp, headerName',
	],
])('the fields of %s are in their order', (_, names, first) => {
	const wanted = first.split(', ');
	expect(names.slice(0, wanted.length)).toEqual(wanted);
});

test('the credential offers the countries by name, France first chosen', () => {
	const field = new SmsServiceApi().properties.find(({ name }) => name === 'defaultCountry');
	expect(field?.default).toBe('FR');
	expect(field?.options).toContainEqual({ name: 'France (+33)', value: 'FR' });
	expect(field?.options).toContainEqual({ name: 'Belgium (+32)', value: 'BE' });
});

test.each(['send', 'sendBatch', 'sendByUrl'])(
	'SMS %s tells whoever gives it to an agent about Allowed Countries',
	(operation) => {
		const shown = (name: string) =>
			descriptions.Sms.properties
				.filter(({ type }) => type === 'notice')
				.filter((field) =>
					NodeHelpers.displayParameter({ operation, resource: 'sms' }, field, null, {
						...descriptions.Sms,
						name,
					}),
				);
		expect(shown('sms')).toEqual([]);
		expect(shown('smsTool').map(({ displayName }) => displayName)).toEqual([
			expect.stringContaining("unless you choose 'Allowed Countries' in the credential"),
		]);
	},
);

test('Create or Update Contact says that values left empty stay, and that the ID changes', () => {
	const notices = descriptions.SmsContact.properties.filter(({ type }) => type === 'notice');
	expect(notices.map(({ displayOptions }) => displayOptions?.show?.operation)).toEqual([
		['upsert'],
	]);
	expect(notices[0].displayName).toContain('keep their values');
	expect(notices[0].displayName).toContain('a new ID');
});

test('the message of a campaign has one example of a token', () => {
	const { placeholder, hint, description } = descriptions.SmsCampaign.properties.find(
		({ name }) => name === 'message',
	)!;
	for (const text of [placeholder, hint, description]) {
		expect(text?.match(/\$\{.*?\}/g)).toEqual(['${first_name}']);
	}
	expect(hint).toContain('"First Name"');
});

test('the trigger says beside Fetch Test Event that only what is new starts the workflow', () => {
	const { triggerPanel, properties } = descriptions.SmsTrigger;
	const { activationHint = '' } = triggerPanel as { activationHint?: string };
	expect(activationHint).toMatch(/publish.* only what is new/);
	const [, option] = /'(.+)'/.exec(activationHint)!;
	expect(allFields(properties).map(({ displayName }) => displayName)).toContain(option);
});

test('a notice names a safeguard only where the operation has it', () => {
	const notices = descriptions.Sms.properties.filter(({ name }) => name === 'agentNotice');
	const shown = notices.flatMap(({ displayName, displayOptions }) =>
		operationsOf(displayOptions)!.map((operation) => ({ displayName, operation })),
	);
	expect(shown.length).toBeGreaterThan(2);
	for (const { displayName, operation } of shown) {
		const hasLimit = namesIn('Sms', operation, 'safeguards').includes('maxCredits');
		expect(displayName.includes("'Max Credits'"), operation).toBe(hasLimit);
	}
});
