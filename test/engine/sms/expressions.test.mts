/** Values that expressions make of nothing: keys, categories and texts with "undefined" or a gap in them. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { reached, sim } from '../delivery/service.mts';
import { hintOf, jsonOf, textOf } from '../delivery/support.mts';
import { sendSms } from './support.mts';

const ITEM: IDataObject = {
	...{ id: 1042, zero: 0, no: false, empty: '', blank: ' \u00a0', nothing: null },
	...{ order: { id: 7 }, none: [], tags: ['a', 'b'], word: 'undefined' },
	...{ day: 'yesterday', text: 'Bonjour undefined', name: 'Annulla' },
	...{ cell: '#N/A', celle: ' #BEZUG! ', tag: '#Noël', variant: 'None' },
};

const option = (name: string, value: string): INodeParameters => ({ options: { [name]: value } });
const key = (onceKey: string) => option('onceKey', onceKey);
const send = async (
	parameters: INodeParameters,
	items: IDataObject[] = [ITEM],
	operation = 'send',
) => await sendSms(sim, { operation, ...parameters }, { items });

/** An expression beside something else: the text that it makes is never empty. */
const NOTHING = [
	'={{ $json.orderId }}-shipped',
	'=order-{{ $json.nothing }}',
	'=order-{{ null }}',
	'={{ undefined }}-shipped',
	'=k-{{ $json.order }}',
	'=k-{{ $json.order.reference }}',
	'=k-{{ $json["order"]["reference"] }}-x',
	'=k-{{ $json.missing.deeper }}',
	'=k{{ $json.empty }}',
	'=k{{ $json.blank }}',
	'=k-{{ $json.none }}',
	'=k-{{ [].concat($json.none)[0] }}-x',
	'=k-{{ $json.empty.trim() }}',
	"=k-{{ $json.reference ?? '' }}",
	'={{ $json.id }}-{{ $json.missing }}',
	'={{ $json.id }}-{{ $json.missing?.toString() }}-x',
	"={{ $json.orderId + '-shipped' }}",
	'={{ `order-${$json.nothing}` }}',
	'={{ "k-" + $json.order }}',
	"={{ 'k-' + Number($json.day) }}",
	'=k-{{ DateTime.fromISO($json.day) }}',
	'=k-{{ new Date($json.day) }}',
	'={{ $json.word }}',
	// Of a spreadsheet
	'={{ $json.cell }}',
	'=k-{{ $json.celle }}-x',
];

describe.each<[field: string, (typed: string) => INodeParameters]>([
	['Once Key', key],
	['Category', (typed) => option('category', typed)],
	['Campaign Name', (typed) => option('campaignName', typed)],
])('%s made of nothing', (field, parameters) => {
	test.each(NOTHING)('%s is refused', async (typed) => {
		const { error } = await send(parameters(typed));
		expect(sim.requests).toEqual([]);
		expect(error!.message).toContain(`'${field}'`);
		expect(error!.message).toContain('{{');
		expect(error!.context.itemIndex).toBe(0);
	});

	test.each([
		['={{ $json.id }}-shipped', '1042-shipped'],
		['=k-{{ $json.zero }}', 'k-0'],
		['=k-{{ $json.no }}', 'k-false'],
		['=k-{{ $json.tags }}', 'k-a,b'],
		['=k-{{ $json.id + 1 }}', 'k-1043'],
		["=k-{{ $json.missing ?? 'x' }}", 'k-x'],
		['=k-{{ $json.name }}', 'k-Annulla'],
		['=null-{{ $json.id }}', 'null-1042'],
		['=k-{{ $json.tag }}', 'k-#Noël'],
		['={{ $json.id }}-{{ $json.variant }}', '1042-None'],
		...(field === 'Category' ? [['undefined', 'undefined']] : []),
	])('%s is %s', async (typed, value) => {
		const { error } = await send(parameters(typed));
		const isRefused = field === 'Category' && value.includes(',');
		expect(error?.message).toEqual(isRefused ? expect.stringContaining('comma') : undefined);
		expect(sim.messages).toHaveLength(isRefused ? 0 : 1);
		if (!isRefused && field === 'Category')
			expect(sim.messages[0]).toMatchObject({ category: value });
	});
});

describe('a key that stands for nothing', () => {
	test.each([
		...['#REF!', '#N/A', '#DIV/0!', '#NAME?', '#VALEUR!', '#NOM?', 'N/A', 'n/a'],
		...['-', '--', '?', '0', '0000-00-00', '...', '#NV', '#¡VALOR!'],
		...['None', 'none', 'nan', 'nil'],
	])('%s is refused', async (value) => {
		const { error } = await send(key('={{ $json.v }}'), [{ v: value }]);
		const isCell = value.startsWith('#');
		const says = isCell ? `contains ${value}, because {{ $json.v }}` : `is "${value}"`;
		expect(error!.message).toContain(`'Once Key' ${says}`);
		expect(error!.description).toMatch(/\w{3,}/);
		if (value === '0') return;
		const beside = await send(key('={{ $json.v }}-shipped'), [{ v: value }]);
		expect(beside.error?.message ?? '').toContain(/\d/.test(value) ? '' : "'Once Key' ");
		expect(sim.messages.length).toBeLessThan(2);
	});

	const USUAL = ['0x1', '10', 'A-0', '#12', 'NA', 'N/A-1042', '100', 'é', 'Nones'];
	test.each([0, ...USUAL])('%j', async (v) => {
		const { error } = await send(key('={{ $json.v }}'), [{ v }]);
		expect(error === undefined).toBe(v !== 0);
	});
});

/** More digits than a number of JavaScript has (ECMAScript, Number.MAX_SAFE_INTEGER): JSON.parse rounds them. */
const LONG_ID = '17841405822304914';

test.each<[field: string, parameters: INodeParameters]>([
	['Once Key', key('={{ $json.v }}')],
	['Once Key', key('=order-{{ $json.v }}')],
	['Category', option('category', '={{ $json.v }}')],
	['Message', { message: '={{ $json.v }}' }],
])('a number that was rounded is another one: %s %j', async (field, parameters) => {
	const { error } = await send(parameters, [{ v: JSON.parse(LONG_ID) as number }]);
	expect(sim.requests).toEqual([]);
	expect(error!.message).toContain(`'${field}' `);
	expect(error!.message).toContain('not an exact number');
	expect(error!.description).toContain('give it as text');
	expect((await send(parameters, [{ v: LONG_ID }])).error).toBeUndefined();
});

describe('a key that all items have', () => {
	const numbers = (...given: string[]) => given.map((number) => ({ number, shop: 'Lyon' }));
	const TWO = numbers('0639980001', '0639980002');
	const number = '={{ $json.number }}';

	// For one item as well: in the next execution, nobody would get a message.
	test.each([
		['send', 2],
		['sendBatch', 2],
		['send', 1],
	])('%s: is refused where it was typed, for %i items', async (operation, count) => {
		// The second one in Expression mode.
		for (const typed of ['newsletter', '=newsletter']) {
			const result = await send({ number, ...key(typed) }, TWO.slice(0, count), operation);
			expect(sim.requests).toEqual([]);
			expect(textOf(result)).toContain('\'Once Key\' is "newsletter" in each execution');
		}
	});

	test.each<[what: string, onceKey: string, items: IDataObject[]]>([
		['one item', "={{ 'alert' }}", numbers('0639980001')],
		['one recipient', "={{ 'alarm' }}", numbers('0639980001', '+33639980001')],
		['an expression', number, TWO],
	])('is a key for %s', async (_, onceKey, items) => {
		expect((await send({ number, ...key(onceKey) }, items)).error).toBeUndefined();
		expect(sim.messages.length).toBeGreaterThan(0);
	});

	test('is warned of where an expression gives it', async () => {
		const result = await send({ number, ...key('={{ $json.shop }}') }, TWO, 'sendBatch');
		expect(sim.messages).toHaveLength(1);
		expect(result.hints?.[0].type).toBe('warning');
		expect(hintOf(result)).toContain('\'Once Key\' is "Lyon" for all items, so only the first');
		// As it says: the skipped items only, each with a key of its own.
		const own = key('={{ $json.shop }}-{{ $json.number }}');
		await send({ number, ...own }, TWO.slice(1), 'sendBatch');
		expect(reached()).toEqual(['+33639980001', '+33639980002']);
	});
});

test('what nobody sees around a label is no part of it', async () => {
	const pasted = (text: string) => `\ufeff \u200e${text}\u200b\u00a0`;
	const labels = { category: 'orders', campaignName: 'Order updates' };
	const options = { category: pasted('orders'), campaignName: pasted('Order updates') };
	expect((await send({ sender: pasted('MyShop'), options })).error).toBeUndefined();
	expect(sim.messages).toMatchObject([{ sender: 'MyShop', ...labels }]);
});

test.each([
	['orders, Paris', '\'Category\' "orders, Paris" has a comma'],
	['orders\nParis', '\'Category\' "orders Paris" has a line break'],
])('a category that the trigger takes for two is refused: %j', async (category, message) => {
	const { error } = await send(option('category', category));
	expect(sim.requests).toEqual([]);
	expect(error!.message).toBe(message);
});

describe('a word that an expression put into the message', () => {
	test.each<[typed: string, word: string]>([
		["=RDV le {{ DateTime.fromISO($json.day).toFormat('dd/MM') }}", 'Invalid DateTime'],
		['=RDV le {{ new Date($json.day) }}', 'Invalid Date'],
		["=Dans {{ DateTime.fromISO($json.day).diffNow('days').toHuman() }}", 'Invalid Duration'],
		['=Du {{ Interval.fromISO($json.day) }}', 'Invalid Interval'],
		['=Total : {{ 12 / $json.zero }} EUR', 'Infinity'],
		['=Commande {{ $json.order }}', '[object Object]'],
		['=Bonjour {{ $json.cell }}', '#N/A'],
		['=Bonjour {{ $json.celle.trim() }}, merci', '#BEZUG!'],
	])('%s: %s is refused', async (message, word) => {
		for (const operation of ['send', 'sendByUrl', 'preview']) {
			const { error } = await send({ message }, [ITEM], operation);
			expect(sim.requests).toEqual([]);
			expect(error!.message).toContain(`'Message' contains ${word}`);
			expect(error!.description).toMatch(/\w{3,}/);
		}
	});

	test.each([
		'Undefined is null and void, NaN',
		'=null and undefined, {{ $json.id }}',
		'={{ $json.name }} est là',
		'={{ "Nullement, infinityWar, nullité" }}',
		'Total NaNEUR, Cmdundefined, [object Object]',
		'#N/A, #REF!',
		'=#SOLDES! {{ $json.tag }}, #TOP! {{ "avec #FUN!" }}',
	])('%s is sent', async (message) => {
		const { error } = await send({ message });
		expect(error).toBeUndefined();
		expect(sim.messages).toHaveLength(1);
	});
});

describe('a field that was empty in the message', () => {
	const told = async (message: string, items: IDataObject[], operation = 'send') => {
		const result = await send(
			{ message, options: { skipDuplicates: false } },
			items,
			operation,
		);
		expect(result.error).toBeUndefined();
		return hintOf(result);
	};
	const items = [{ prenom: 'Ana', date: '1/1' }, { prenom: '' }, { date: null }, { date: '2/1' }];

	test.each(['send', 'sendBatch', 'sendByUrl', 'preview'])(
		'%s: is named, with who got it',
		async (operation) => {
			const message = '=Bonjour {{ $json.prenom }}, RDV le {{ $json.date?.trim() }}.';
			expect(await told(message, items, operation)).toContain(
				'{{ $json.prenom }} (+33639981234), {{ $json.date?.trim() }} (+33639981234)',
			);
		},
	);

	test('the advice names the field, where it is the only one', async () => {
		const one = await told('=Bonjour {{ $json.prenom }}', items.slice(1, 2));
		expect(one).toContain("write {{ $json.prenom ?? '' }}");
		const two = await told('=Le {{ $json.date }}, {{ $json.prenom }}', items.slice(2, 3));
		expect(two).toContain("write {{ $json.field ?? '' }}");
	});

	test('a number that is none is written as nothing by n8n', async () => {
		const hint = await told('=Total : {{ $json.prenom * 2 }} EUR', [{ prenom: 'Ana' }]);
		expect(hint).toContain('{{ $json.prenom * 2 }} (+33639981234)');
	});

	test.each([
		"=Bonjour {{ $json.prenom ?? '' }}, RDV",
		'=Bonjour {{ $json.prenom ? $json.prenom : "" }}',
		'=Bonjour{{ $json.id }}',
	])('%s needs no hint', async (message) => {
		expect(await told(message, [{ id: 0 }])).not.toContain('gets no text');
	});
});

describe('Refuse Empty Fields', () => {
	const message = "=Bonjour {{ $json.prenom }}{{ $json.title ?? '' }}, RDV";
	const safeguards = { refuseEmptyFields: true };

	test.each(['send', 'sendByUrl'])('%s: nothing is sent', async (operation) => {
		const { error } = await send({ message, safeguards }, [{ prenom: ' ' }], operation);
		expect(error?.message).toContain("'Message' gets no text from {{ $json.prenom }}");
		expect(error?.description).toContain("This item has 'prenom'");
		expect(error?.description).toContain("write {{ $json.prenom ?? '' }}");
		expect(sim.messages).toHaveLength(0);
	});

	test('a batch sends the others', async () => {
		const items = [{ prenom: 'Ana' }, { nom: 'Roux' }, { prenom: 0 }];
		const result = await send({ message, safeguards }, items, 'sendBatch');
		const statuses = result.items.map(({ json }) => json.status);
		expect(statuses).toEqual(['sent', 'invalid', 'sent']);
		expect(sim.messages).toHaveLength(2);
	});
});

describe('a number with more decimals than people read', () => {
	test.each([
		['=Total : {{ 0.1 + 0.2 }} EUR', {}],
		['={{ "Total " + 1 / 3 }}', {}],
		['=Total {{ $json.total }}', { total: 12.999999999999998 }],
	])('%s', async (message, json) => {
		expect(hintOf(await send({ message }, [json]))).toContain('more decimals than people read');
	});

	test.each([
		['Position 48.8583701, 2.2944813', {}],
		['={{ $json.text }}', { text: '48.85837009999999, 2.2944813' }],
		['={{ 12.5 }} EUR, {{ 0.123456 }}', {}],
		['=https://exemple.fr/?q={{ 48.85 }}', {}],
	])('%s needs no hint', async (message, json) => {
		expect(hintOf(await send({ message }, [json]))).not.toContain('decimals');
	});
});

describe('what recipients would hardly expect', () => {
	test.each<[text: string, hint: string]>([
		['Bonjour {prenom}', 'Recipients read {prenom} (+33639981234) as it is.'],
		...[
			...['%prenom%', '#{prenom}', '[prenom]', '*|PRÉNOM|*', '{{1}}', '${âge}', '$PRENOM'],
			...['<<prenom>>', '$prenom', '%s', '«prenom»', '((prenom))', '{% nom %}', '<%= nom %>'],
			...['[[nom]]', '{prenom|client}'],
		].map((placeholder): [string, string] => [`Bonjour ${placeholder}`, placeholder]),
		['<p>Bonjour<br/></p>', '<p> (+33639981234), <br/> (+33639981234), </p> (+33639981234)'],
		['Bonjour &eacute;&#233;&nbsp;!', 'an SMS shows no HTML'],
		[
			'Bonjour <Prénom>, RDV le <date du rdv>',
			'<Prénom> (+33639981234), <date du rdv> (+33639981234)',
		],
		['Bonjour\\nMerci', 'not as a line break'],
		[
			'Votre rÃ©servation',
			'Ã© (+33639981234) looks like a letter that was read in the wrong encoding',
		],
		['Ã‰CHÃ‰ANCE, 12Â €', 'Ã‰ (+33639981234)'],
		['Total 12 â‚¬', 'â‚¬ (+33639981234)'],
		['CÅ“ur, ZaÅ¼Ã³Å‚Ä‡, ÅŸ', 'Å“ (+33639981234), Å¼ (+33639981234)'],
		['Ð—Ð´Ñ€', 'Ð—Ð´Ñ€ (+33639981234)'],
		['Merci ðŸ˜€', 'ðŸ˜€ (+33639981234)'],
		['R√©servation ‚Äî demain', '√© (+33639981234), ‚Äî (+33639981234)'],
		['RDV 2031-05-12T09:30:00.000Z', 'Recipients read 2031-05-12T09:30:00.000Z (+33639981234)'],
		['RDV 2031-05-12T09:30:00+02:00.', '2031-05-12T09:30:00+02:00 (+33639981234)'],
		['a'.repeat(1_600), 'more than 10 segments: 11 segments (+33639981234)'],
	])('%s', async (text, hint) => {
		for (const operation of ['send', 'preview']) {
			const items = [{ text, prenom: 'Ana' }];
			const result = await send({ message: '={{ $json.text }}' }, items, operation);
			expect(result.error).toBeUndefined();
			const shown = hintOf(result);
			// The editor shows it as HTML.
			expect(shown).not.toMatch(/[<>]/);
			const read = shown.replaceAll('&lt;', '<').replaceAll('&gt;', '>');
			expect(read.replaceAll('&amp;', '&').replaceAll('\n', ' ')).toContain(hint);
		}
		expect(sim.messages).toHaveLength(1);
	});

	test.each([
		'50% de remise, 20% demain',
		'-20% sur tout et -10% ensuite',
		'#Noel <3 :) (info) 5 < 6 > 4',
		'Payez 12$ ou US$12, a & b',
		'<jean@example.com> C:/new',
		'Salle [bureau], code [A1B2], réponse «OUI» ou <<NON>>',
		'https://exemple.fr/re%C3%A7u?tpl=%s et www.exemple.fr/{id}',
	])('%s needs no hint', async (message) => {
		const result = await send({ message: '={{ $json.message }}' }, [{ message }]);
		expect(hintOf(result)).not.toContain('as it is');
	});
});

describe('an expression that finds nothing', () => {
	const NAMES = "This item has 'Telephone', 'Prénom'.";
	const row = { Telephone: '0639981234', Prénom: 'Ana' };

	test.each<[field: string, INodeParameters]>([
		['Phone Number', { number: '={{ $json.phone }}' }],
		['Message', { message: '={{ $json.text }}' }],
		['Message', { message: '=Bonjour {{ $json.name + "" }}' }],
		['Once Key', key('={{ $json.orderId }}')],
		['Once Key', key('=k-{{ $json.orderId }}')],
		['Category', option('category', '={{ $json.category }}')],
		['Send At', option('date', '={{ $json.day }}')],
	])('in %s: the error names the fields of the item', async (field, parameters) => {
		const { error } = await send(parameters, [row]);
		expect(error?.message).toContain(`'${field}'`);
		expect(error?.description).toContain(NAMES);
	});

	test('names twelve of them at most, and none where there are none', async () => {
		const wide = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`c${at}`, at]));
		const given = { number: '={{ $json.phone }}' };
		const { error } = await send(given, [wide]);
		expect(error?.description).toContain("'c10', 'c11' and 8 more.");
		const none = await send(given, [{}]);
		expect(none.error?.description).toContain('This item has no fields.');
	});

	test('in a batch, each item says its own', async () => {
		const items = [{ phone: '0639981234' }, { Telephone: '0639985678' }];
		const result = await send({ number: '={{ $json.phone }}' }, items, 'sendBatch');
		expect(jsonOf(result)[1].advice).toContain("This item has 'Telephone'.");
	});
});
