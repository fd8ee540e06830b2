/** The page of the simulator: shows the phones, and lets one answer from them. */

const POLL_MS = 1_000;
const MOST_PHONES = 60;
const OFFLINE = 'The simulator does not answer. Is it still running?';

const cards = new Map();
let lastSideNotes = '';

/** @param {string} id @returns {any} */
const byId = (id) => document.getElementById(id);

/** An element with a class and a text; texts are never read as HTML. */
function element(tag, className = '', text = '') {
	const made = document.createElement(tag);
	if (className !== '') made.className = className;
	made.textContent = text;
	return made;
}

async function get(path) {
	const response = await fetch(path);
	if (!response.ok) throw new Error(`The simulator answered ${response.status}`);
	return await response.json();
}

async function post(path, body = {}) {
	const response = await fetch(path, {
		method: 'POST',
		headers: { 'Content-Type': 'application/json' },
		body: JSON.stringify(body),
	});
	const answer = await response.json();
	if (!response.ok) throw new Error(answer.error);
	return answer;
}

function notify(text, failed = false) {
	byId('notice').textContent = text;
	byId('notice').classList.toggle('failed', failed);
}

/** Runs what a button does, says how it went, and shows the outcome. */
async function act(action) {
	try {
		notify(await action());
	} catch (error) {
		notify(error.message, true);
	}
	await refresh();
}

const time = (at) =>
	new Date(at).toLocaleString([], {
		day: '2-digit',
		month: '2-digit',
		hour: '2-digit',
		minute: '2-digit',
		second: '2-digit',
		hourCycle: 'h23',
	});

/** A count with the noun in the number that fits: 1 credit, 2 credits. */
const counted = (count, one, many = `${one}s`) => (count === 1 ? one : many);

const readable = (national) =>
	national.replace(/^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1 $2 $3 $4 $5');

/** States in which nothing has come to the phone, or never will. */
const NOT_ARRIVED = ['scheduled', 'sent', 'submitted', 'bounced', 'error'];

/** A paragraph whose links open in a tab of their own. */
function linked(text) {
	const paragraph = element('p');
	for (const part of text.split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)])/)) {
		if (!/^https?:/.test(part)) {
			paragraph.append(part);
			continue;
		}
		const link = element('a', '', part);
		Object.assign(link, { href: part, target: '_blank', rel: 'noopener noreferrer' });
		paragraph.append(link);
	}
	return paragraph;
}

function incoming(message) {
	const bubble = element('li', 'bubble');
	bubble.classList.toggle('not-arrived', NOT_ARRIVED.includes(message.state));
	bubble.append(linked(message.deliveredText));
	const meta = element('div', 'meta');
	meta.append(element('span', `state ${message.state}`, message.state));
	meta.append(element('span', '', message.sender ?? 'short code'));
	meta.append(element('span', '', message.kind));
	if (message.category) meta.append(element('span', '', `category ${message.category}`));
	if (message.state === 'scheduled')
		meta.append(element('span', '', `for ${time(message.date)}`));
	meta.append(element('span', '', time(message.acceptedAt)));
	meta.append(element('span', '', `snapshot ${message.snapshotId}`));
	if (message.deliveredText.includes('https://sms.example/r/')) {
		const open = element('button', '', 'Open the link');
		open.addEventListener('click', () =>
			act(async () => {
				await post('/_simulator/open', { snapshotId: message.snapshotId, click: true });
				return 'The link was opened.';
			}),
		);
		meta.append(open);
	}
	bubble.append(meta);
	return bubble;
}

function outgoing(event) {
	const bubble = element('li', 'bubble outgoing');
	bubble.append(element('p', '', event.text));
	bubble.append(element('div', 'meta', time(event.at)));
	return bubble;
}

function createCard(phone) {
	const card = byId('phone').content.firstElementChild.cloneNode(true);
	const form = card.querySelector('form');
	const input = form.elements.namedItem('text');
	const name = readable(phone.national);
	card.querySelector('.number').textContent = name;
	input.id = `reply-${phone.number}`;
	form.querySelector('label').htmlFor = input.id;
	form.querySelector('label').textContent = `Reply from ${name}`;
	form.addEventListener('submit', (event) => {
		event.preventDefault();
		void act(async () => {
			const answer = await post('/_simulator/reply', {
				from: phone.number,
				text: input.value,
			});
			input.value = '';
			return answer.stopped ? `${name} replied STOP.` : `${name} replied.`;
		});
	});
	form.querySelector('.stop').addEventListener('click', () =>
		act(async () => {
			await post('/_simulator/stop', { from: phone.number });
			return `${name} replied STOP.`;
		}),
	);
	return { card, shown: '' };
}

/** @returns whether there was anything new */
function updateCard(entry, phone) {
	const now = JSON.stringify(phone);
	if (entry.shown === now) return false;
	entry.shown = now;
	const badge = entry.card.querySelector('.badge');
	badge.hidden = !phone.unsubscribed && !phone.unassigned;
	badge.textContent = phone.unsubscribed ? 'unsubscribed' : 'unassigned';
	entry.card.querySelector('.stop').disabled = phone.unsubscribed;
	const conversation = entry.card.querySelector('.conversation');
	conversation.replaceChildren(
		...phone.events.map((event) => (event.message ? incoming(event.message) : outgoing(event))),
	);
	return true;
}

/** Brings the newest message into view. What isn't in the page, or was just moved, is scrolled up. */
function scrollToNewest(card) {
	const conversation = card.querySelector('.conversation');
	conversation.scrollTop = conversation.scrollHeight;
}

function showPhones(phones) {
	const wanted = new Set(phones.map((phone) => phone.number));
	for (const [number, entry] of cards) {
		if (wanted.has(number)) continue;
		entry.card.remove();
		cards.delete(number);
	}
	const container = byId('phones');
	for (const [index, phone] of phones.entries()) {
		if (!cards.has(phone.number)) cards.set(phone.number, createCard(phone));
		const entry = cards.get(phone.number);
		const isNew = updateCard(entry, phone);
		const isMoved = moveTo(container, entry.card, index);
		if (isNew || isMoved) scrollToNewest(entry.card);
	}
	byId('empty').hidden = phones.length > 0 || byId('search').value !== '';
}

/**
 * Moves a card to its place, unless somebody is typing in it: moving would take the focus.
 * @returns whether it was moved
 */
function moveTo(container, card, index) {
	if (container.children[index] === card || card.contains(document.activeElement)) return false;
	container.insertBefore(card, container.children[index] ?? null);
	return true;
}

function showState(state) {
	byId('base-url').textContent = state.baseUrl;
	byId('api-key').textContent = state.apiKey;
	byId('key-label').textContent = `API key (header ${state.headerName})`;
	const counters = [
		[counted(state.messages, 'message'), state.messages],
		['delivered', state.delivered],
		[counted(state.replies, 'reply', 'replies'), state.replies],
		['unsubscribed', state.unsubscribers],
		['bounced', state.bounces],
		[`${counted(state.credits, 'credit')} left`, state.credits],
		['clock', time(state.now)],
	];
	byId('counters').replaceChildren(
		...counters.map(([label, value]) => {
			const item = element('li');
			item.append(
				element('b', '', typeof value === 'number' ? value.toLocaleString() : value),
			);
			item.append(element('span', '', label));
			return item;
		}),
	);
	const sideNotes = JSON.stringify([state.lists, state.campaigns]);
	if (sideNotes === lastSideNotes) return;
	lastSideNotes = sideNotes;
	showNotes('lists', state.lists, (list) => [
		`${list.name} (${list.contacts.toLocaleString()} ${counted(list.contacts, 'contact')})`,
		`${list.columns.length > 0 ? `columns ${list.columns.join(', ')}; ` : ''}id ${list.id}`,
	]);
	showNotes('campaigns', state.campaigns, (campaign) => [
		`${campaign.name} (${campaign.state.toLowerCase()})`,
		`${campaign.kind} campaign to ${campaign.list}; id ${campaign.id}`,
	]);
}

function showNotes(id, entries, describe) {
	byId(`${id}-section`).hidden = entries.length === 0;
	byId(id).replaceChildren(
		...entries
			.slice(-MOST_PHONES)
			.reverse()
			.map((entry) => {
				const [title, note] = describe(entry);
				const item = element('li', '', title);
				item.append(element('div', 'meta', note));
				return item;
			}),
	);
}

async function refresh() {
	const search = encodeURIComponent(byId('search').value);
	const [state, phones] = await Promise.all([
		get('/_simulator/state'),
		get(`/_simulator/phones?limit=${MOST_PHONES}&search=${search}`),
	]);
	showState(state);
	showPhones(phones);
}

/** Refreshes for ever, as long as somebody looks. */
async function poll() {
	if (!document.hidden) {
		try {
			await refresh();
			if (byId('notice').textContent === OFFLINE) notify('');
		} catch {
			notify(OFFLINE, true);
		}
	}
	setTimeout(poll, POLL_MS);
}

for (const button of document.querySelectorAll('[data-copy]')) {
	button.addEventListener('click', () =>
		act(async () => {
			await navigator.clipboard.writeText(byId(button.dataset.copy).textContent);
			return 'Copied.';
		}),
	);
}
byId('search').addEventListener('input', () => void refresh());
byId('sample-list').addEventListener('click', () =>
	act(async () => {
		const list = await post('/_simulator/sample-list');
		return `The list ${list.name} has ${list.contacts} ${counted(list.contacts, 'contact')}.`;
	}),
);
byId('advance').addEventListener('click', () =>
	act(async () => {
		await post('/_simulator/clock', { advanceMs: 3_600_000 });
		return 'An hour has passed.';
	}),
);
byId('reset').addEventListener('click', () => {
	if (!confirm('Forget all messages, lists and replies?')) return;
	void act(async () => {
		await post('/_simulator/reset');
		return 'All forgotten.';
	});
});
byId('any-phone').addEventListener('submit', (event) => {
	event.preventDefault();
	const form = event.target;
	const { from, text, category } = Object.fromEntries(new FormData(form));
	void act(async () => {
		await post('/_simulator/reply', { from, text, category: category || undefined });
		form.reset();
		return `${from} wrote.`;
	});
});

void poll();
