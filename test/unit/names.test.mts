/**
 * What users and AI builders read of each operation: its name in the dropdown, and its action in the node
 * panel. Saved workflows don't depend on these, docs and habits do: a change is made here as well.
 */
import type { INodePropertyOptions } from 'n8n-workflow';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { descriptions } from '../descriptions.mts';
import { root } from '../harness/package.mts';

/** In the order of the dropdown and of the panel. */
const NAMES = `
Sms           send                Send SMS                       | Send SMS
Sms           sendBatch           Send SMS in Batch              | Send SMS in batch
Sms           sendAndWait         Send SMS and Wait for Response | Send SMS and wait for response
Sms           preview             Preview SMS                    | Preview SMS
Sms           sendByUrl           Send SMS by URL (Legacy)       | Send SMS by URL (Legacy)
SmsBlacklist  add                 Add Number to Blacklist        | Add number to blacklist
SmsBlacklist  check               Check Blacklist for Number     | Check blacklist for number
SmsBlacklist  getMany             Get Many Blacklisted Numbers   | Get many blacklisted numbers
SmsBlacklist  remove              Remove Number From Blacklist   | Remove number from blacklist
SmsCampaign   create              Create Campaign                | Create campaign
SmsCampaign   get                 Get Campaign                   | Get campaign
SmsCampaign   getBlacklists       Get Campaign Blacklists        | Get campaign blacklists
SmsCampaign   getReplies          Get Campaign Replies           | Get campaign replies
SmsCampaign   getStatistics       Get Campaign Statistics        | Get campaign statistics
SmsCampaign   getMany             Get Many Campaigns             | Get many campaigns
SmsCampaign   preview             Preview Campaign               | Preview campaign
SmsCampaign   send                Send Campaign                  | Send campaign
SmsCampaign   sendTest            Send Test of Campaign          | Send test of campaign
SmsContact    add                 Add Contact                    | Add contact to list
SmsContact    upsert              Create or Update Contact       | Create or update contact in list
SmsContact    delete              Delete Contact                 | Delete contact from list
SmsContact    getMany             Get Many Contacts              | Get many contacts in list
SmsContact    import              Import Contacts                | Import contacts into list
SmsContact    sync                Sync Contacts                  | Sync contacts with list
SmsList       addColumn           Add Column to List             | Add column to list
SmsList       empty               Clear List                     | Clear list
SmsList       create              Create List                    | Create list
SmsList       deleteColumn        Delete Column From List        | Delete column from list
SmsList       delete              Delete List                    | Delete list
SmsList       get                 Get List                       | Get list
SmsList       getMany             Get Many Lists                 | Get many lists
SmsStats      account             Get Account Statistics         | Get account statistics
SmsStats      categoryBlacklists  Get Category Blacklists        | Get category blacklists
SmsStats      replies             Get Category Replies           | Get category replies
SmsStats      category            Get Category Statistics        | Get category statistics
SmsStats      messageStatus       Get Message Status             | Get message status
`
	.trim()
	.split('\n')
	.map((line) => /^(\w+) +(\w+) +(.+?) +\| (.+)$/.exec(line)!.slice(1));

const operationsOf = (node: string) =>
	(descriptions[node].properties.find(({ name }) => name === 'operation')?.options ??
		[]) as INodePropertyOptions[];

test('each operation has the name and the action of the table, in its order', () => {
	const all = Object.keys(descriptions).flatMap((node) =>
		operationsOf(node).map(({ value, name, action }) => [node, value, name, action]),
	);
	expect(all).toEqual(NAMES);
});

describe.each(Object.keys(descriptions).filter((node) => node !== 'SmsTrigger'))('%s', (node) => {
	const names = operationsOf(node).map(({ name }) => name);

	test('names what each operation is about: its resource is hidden', () => {
		const objects = /\b(SMS|Campaigns?|Contacts?|Lists?|Blacklist(s|ed)?|Column|Statistics)\b/;
		for (const name of names.filter((one) => !/^Get (Category|Message) /.test(one)))
			expect(name).toMatch(objects);
	});

	test('lists them by the alphabet, sending an SMS first and what is legacy last', () => {
		const usual = names.filter((name) => !name.includes('SMS'));
		expect(usual).toEqual([...usual].sort((a, b) => a.localeCompare(b)));
		if (node === 'Sms') {
			expect(names[0]).toBe('Send SMS');
			expect(names.at(-1)).toContain('(Legacy)');
		}
	});
});

test('a new SMS node sends an SMS', () => {
	const operation = descriptions.Sms.properties.find(({ name }) => name === 'operation');
	expect(operation?.default).toBe('send');
});

test('the entry of the panel that SMS and its trigger have in common says what both do', () => {
	// n8n merges the two, under the name of the node and with the description of the trigger.
	const { description } = descriptions.SmsTrigger;
	expect(description).toMatch(/^Send SMS\b/);
	expect(description).toMatch(/\breplies\b/);
});

/** What fields, options and operations were called before; a reader looks for them in vain. */
const FORMER =
	/Look Up Unknown|Resend if Unknown|Emit Existing|Runs From the Editor|Send Batch|Empty List|Replaced in \d/;

test.each(['nodes', 'credentials', 'docs', 'workflows', 'README.md', 'CONTRIBUTING.md'])(
	'%s calls nothing by a former name',
	async (place) => {
		const files = place.includes('.')
			? [place]
			: (await readdir(join(root, place), { recursive: true })).map((file) =>
					join(place, file),
				);
		const found = [];
		for (const file of files.filter((name) => /\.(ts|json|md|svg)$/.test(name))) {
			const text = await readFile(join(root, file), 'utf8');
			const [name] = FORMER.exec(text) ?? [];
			if (name !== undefined) found.push(`${file}: ${name}`);
		}
		expect(found).toEqual([]);
	},
);

/** n8n 2 publishes workflows; nodes are still deactivated. */
test.each(['nodes', 'credentials', 'docs', 'workflows', 'README.md', 'CHANGELOG.md'])(
	'%s publishes workflows, as n8n says',
	async (place) => {
		const files = place.includes('.')
			? [place]
			: (await readdir(join(root, place), { recursive: true })).map((file) =>
					join(place, file),
				);
		const found = [];
		for (const file of files.filter((name) => /\.(ts|json|md|svg)$/.test(name))) {
			const text = (await readFile(join(root, file), 'utf8'))
				.replace('(n8n 1.x calls it Activate)', '')
				.replaceAll(/\/\*.*?\*\/|^\s*\/\/.*|activation(Message|Hint):|'activate'/gms, '');
			const [name] = /\bactivat\w*|\bactive workflow/i.exec(text) ?? [];
			if (name !== undefined) found.push(`${file}: ${name}`);
		}
		expect(found).toEqual([]);
	},
);
