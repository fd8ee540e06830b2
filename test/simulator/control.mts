/**
 * The page at `/`, and the API below `/_simulator/` with which it, or a test in another process, plays the recipients
 * and turns the knobs. None of it is the service. Described in README.md.
 */
import { readFileSync } from 'node:fs';
import { ok, parsedBody, type Answer } from './endpoints.mts';
import { Refusal } from './errors.mts';
import type { Simulator } from './index.mts';
import { requireNumber, requireObject, toNational } from './limits.mts';
import type { SimMessage } from './messages.mts';
import type { RecordedRequest } from './recorder.mts';
import { createMatcher } from './router.mts';
import type { PhoneEvent } from './service.mts';

interface Call {
	simulator: Simulator;
	request: RecordedRequest;
	/** The JSON body; {} where there is none. */
	body: Record<string, any>;
}

const HTML = { 'Content-Type': 'text/html; charset=utf-8' };
/** The page shows what strangers sent: it may load and call nothing but its own. */
const PAGE_HEADERS = {
	...HTML,
	'Content-Security-Policy':
		"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:",
	'X-Content-Type-Options': 'nosniff',
};

/** All that it answers, by method and path. */
const ROUTES: Record<string, (call: Call) => Answer> = {
	'GET /': () => file('page.html', PAGE_HEADERS),
	'GET /_simulator/page.css': () =>
		file('page.css', { 'Content-Type': 'text/css; charset=utf-8' }),
	'GET /_simulator/page.mjs': () =>
		file('page.mjs', { 'Content-Type': 'text/javascript; charset=utf-8' }),
	'GET /favicon.ico': () => ({ status: 204 }),

	'GET /_simulator/state': ({ simulator }) => ok(overview(simulator)),
	'GET /_simulator/phones': ({ simulator, request }) => {
		const { limit } = paging(request, 50);
		return ok(phones(simulator, limit, request.query.get('search') ?? ''));
	},
	'GET /_simulator/requests': ({ simulator: { requests }, request }) => {
		const { after, limit } = paging(request, requests.length);
		const shown = requests.slice(after, after + limit);
		return ok({
			total: requests.length,
			requests: shown.map(({ method, target, httpVersion, headers, bodyText, ...one }) => ({
				...{ method, target, httpVersion, headers, bodyText },
				raw: one.raw.toString('base64'),
				receivedAt: one.receivedAt,
				status: one.status,
			})),
		});
	},

	'POST /_simulator/reply': ({ simulator, body }) => {
		const from = requireNumber(body.from);
		const text = requireString(body.text, 'text');
		const { category, id } = body;
		if (!/^\s*stop\s*$/i.test(text))
			return ok({ id: simulator.reply(from, text, { category, id }).id });
		simulator.stop(from, { category });
		return ok({ stopped: true });
	},
	'POST /_simulator/stop': ({ simulator, body }) => {
		simulator.stop(requireNumber(body.from), { category: body.category });
		return ok({ stopped: true });
	},
	'POST /_simulator/open': ({ simulator, body }) => {
		const { snapshotId } = messageOf(simulator, body);
		simulator.service.open(snapshotId, { click: body.click === true });
		return ok({ opened: true });
	},

	'POST /_simulator/clock': ({ simulator, body }) => {
		simulator.clock.advance(requireCount(body.advanceMs, 'advanceMs'));
		return ok({ now: simulator.clock.now() });
	},
	'POST /_simulator/sample-list': ({ simulator }) => ok(createSampleList(simulator)),
	'POST /_simulator/reset': ({ simulator }) => {
		simulator.reset();
		return ok({ reset: true });
	},
};

const LONGEST_CONVERSATION = 50;

const SAMPLE_CONTACTS = [
	['+33639980001', 'Camille', 'Moreau', '14/03/1988', '1', '120'],
	['+33639980002', 'Hugo', 'Lefèvre', '02/11/1979', '1', '45'],
	['+33639980003', 'Inès', 'Garnier', '29/02/1992', '0', '0'],
	['+33639980004', 'Louis', 'Roux', '21/07/2001', '1', '310.5'],
	['+33639980005', 'Zoé', 'Blanchard', '08/09/1965', '0', '12'],
] as const;

/**
 * Makes the function that answers the page and the control API.
 * @returns a function that answers a request whose path `isControl`
 */
export function createControl(simulator: Simulator) {
	const routes = Object.entries(ROUTES).map(([name, handle]) => {
		const [method, path] = name.split(' ');
		return { method, path, handle };
	});
	const match = createMatcher(routes);

	return (request: RecordedRequest): Answer => {
		try {
			const { found } = match(request.method, request.path);
			if (found === undefined) throw invalid('The control API has no such path', 404);
			const body =
				request.body.length === 0 ? {} : requireObject(parsedBody(request), undefined);
			return found.route.handle({ simulator, request, body });
		} catch (error) {
			const status = error instanceof Refusal ? error.status : 400;
			return { status, json: { error: error instanceof Error ? error.message : 'Failed' } };
		}
	};
}

/** A request is for the page or the control API, and none to the service. */
export function isControl(path: string): boolean {
	return path === '/' || path === '/favicon.ico' || path.startsWith('/_simulator/');
}

function file(name: string, headers: Record<string, string>): Answer {
	return {
		status: 200,
		chunks: [readFileSync(new URL(`../tools/simulator/${name}`, import.meta.url))],
		headers,
	};
}

function invalid(message: string, status = 400): Refusal {
	return new Refusal(undefined, message, status);
}

function requireString(value: unknown, name: string): string {
	if (typeof value !== 'string' || value === '') throw invalid(`${name} must be a text`);
	return value;
}

function requireCount(value: unknown, name: string): number {
	if (typeof value !== 'number' || !Number.isFinite(value)) {
		throw invalid(`${name} must be a number`);
	}
	return value;
}

function messageOf(simulator: Simulator, body: Record<string, unknown>): SimMessage {
	const message = simulator.service.messageBySnapshot(String(body.snapshotId));
	if (message === undefined) throw invalid('No message has this snapshotId', 404);
	return message;
}

/** `?after=` (how many to leave out) and `?limit=`. */
function paging(
	{ query }: RecordedRequest,
	defaultLimit: number,
): Record<'after' | 'limit', number> {
	return {
		after: requireCount(Number(query.get('after') ?? 0), 'after'),
		limit: requireCount(Number(query.get('limit') ?? defaultLimit), 'limit'),
	};
}

function overview(simulator: Simulator) {
	const { service } = simulator;
	const statistics = service.statistics();
	return {
		baseUrl: simulator.baseUrl,
		apiKey: simulator.apiKey,
		headerName: simulator.headerName,
		now: simulator.clock.now(),
		credits: service.credits,
		messages: service.messages.length,
		delivered: statistics.delivered,
		replies: statistics.replies,
		unsubscribers: statistics.unsubscribers,
		bounces: service.blacklist('bounces').size,
		lists: [...service.lists.values()].map(({ id, name, fields, contacts }) => ({
			id,
			name,
			columns: fields.map((field) => field.name),
			contacts: contacts.length,
		})),
		campaigns: [...service.campaigns.values()].map(({ id, name, kind, state, listId }) => ({
			id,
			name,
			kind,
			state,
			list: service.lists.get(listId)?.name ?? 'a deleted list',
		})),
	};
}

/** The phones that got or sent something last, the latest first, each with its conversation. */
function phones({ service }: Simulator, limit: number, search: string) {
	// 06 12 34, +33 6 12 34 and 12 34 all find +33612345678.
	const digits = search.replace(/\D/g, '').replace(/^0/, '');
	const conversations = new Map<string, PhoneEvent[]>();
	for (let index = service.phoneLog.length - 1; index >= 0; index--) {
		const event = service.phoneLog[index];
		let events = conversations.get(event.number);
		if (events === undefined) {
			if (conversations.size === limit || !event.number.includes(digits)) continue;
			events = [];
			conversations.set(event.number, events);
		}
		if (events.length < LONGEST_CONVERSATION) events.unshift(event);
	}
	return [...conversations].map(([number, events]) => ({
		number,
		national: toNational(number),
		unsubscribed: service.blacklist('unsubscribers').has(number),
		unassigned: service.blacklist('bounces').has(number),
		events: events.map(({ at, text, message }) => ({ at, text, message })),
	}));
}

/** A list to play with; its numbers are those that France keeps for fiction. */
function createSampleList({ service }: Simulator): { id: string; name: string; contacts: number } {
	const list = service.createList('Customers', [
		{ name: 'Prénom' },
		{ name: 'Nom de famille' },
		{ name: 'Anniversaire', type: 'DATE', format: 'dd/MM/yyyy' },
		{ name: 'Inscrit', type: 'BOOLEAN' },
		{ name: 'Points', type: 'NUMBER' },
	]);
	const [firstName, familyName, birthday, registered, points] = list.fields.map(({ id }) => id);
	for (const [number, first, family, date, active, score] of SAMPLE_CONTACTS) {
		list.addContact(number, {
			[firstName]: first,
			[familyName]: family,
			[birthday]: date,
			[registered]: active,
			[points]: score,
		});
	}
	return { id: list.id, name: list.name, contacts: list.contacts.length };
}
