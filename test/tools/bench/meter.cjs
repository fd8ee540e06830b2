/**
 * Loaded into n8n's main process before n8n itself (`node --require`): measures it from inside, and
 * sends what is meant for Twilio's fixed address to the server of the benchmark.
 *
 * Workflows bracket the node that is measured: `GET /items?count=…&run=…` gives its input items, `GET /begin`
 * begins, `GET /end` ends. The benchmark asks for `GET /result`, which waits for the end.
 */
'use strict';

const http = require('node:http');
const https = require('node:https');

const { BENCH_METER_PORT, BENCH_SERVER_PORT } = process.env;

// What n8n starts, and what starts it, have the same environment.
if (BENCH_METER_PORT && /\bbin[/\\]n8n$/.test(process.argv[1] ?? '')) {
	redirectTwilio(Number(BENCH_SERVER_PORT));
	startMeter(Number(BENCH_METER_PORT));
}

/** @param {number} port */
function redirectTwilio(port) {
	const request = https.request;
	const agent = new http.Agent();
	https.request = function (options, ...rest) {
		if ((options?.hostname ?? options?.host) !== 'api.twilio.com') {
			return request.call(this, options, ...rest);
		}
		const { method, path, headers, timeout, signal } = options;
		const redirected = { method, path, headers, timeout, signal, agent };
		return http.request({ ...redirected, host: '127.0.0.1', port }, ...rest);
	};
}

/** @param {number} port */
function startMeter(port) {
	/** Milliseconds from one look at the event loop to the next. */
	const resolution = 5;
	let timer, looks, last, stallMs, cpu, started, rssBefore, rssPeak;
	let announce;
	let ended;
	const reset = () => (ended = new Promise((resolve) => (announce = resolve)));
	reset();

	// Node's own histogram begins with its first look: it would miss a node that begins with a stall.
	const look = () => {
		const now = performance.now();
		stallMs = Math.max(stallMs, now - last - resolution);
		last = now;
	};
	const begin = () => {
		rssBefore = rssPeak = process.memoryUsage.rss();
		timer = setInterval(() => {
			rssPeak = Math.max(rssPeak, process.memoryUsage.rss());
		}, 50);
		cpu = process.cpuUsage();
		stallMs = 0;
		started = last = performance.now();
		looks = setInterval(look, resolution);
	};
	const end = () => {
		if (started === undefined) return;
		const wallMs = performance.now() - started;
		const { user, system } = process.cpuUsage(cpu);
		started = undefined;
		clearInterval(timer);
		clearInterval(looks);
		look();
		announce({
			wallMs,
			cpuMs: (user + system) / 1_000,
			stallMs,
			rssBefore,
			rssPeak: Math.max(rssPeak, process.memoryUsage.rss()),
		});
	};

	http.createServer((request, response) => {
		const { pathname, searchParams } = new URL(request.url, 'http://meter');
		const write = (value) => {
			response.writeHead(200, { 'Content-Type': 'application/json' });
			response.end(JSON.stringify(value));
		};
		if (pathname === '/items') {
			const run = searchParams.get('run');
			const items = Array.from({ length: Number(searchParams.get('count')) }, (_, order) => ({
				// Of the range that is kept free for films.
				to: `+3363998${String(order % 10_000).padStart(4, '0')}`,
				order,
				name: `Ada ${order}`,
				when: 'from 9:00 on',
				run,
			}));
			write(items);
		} else if (pathname === '/begin') {
			response.on('finish', begin);
			write({});
		} else if (pathname === '/end') {
			end();
			write({});
		} else if (pathname === '/result') {
			void ended.then(write);
		} else if (pathname === '/reset') {
			reset();
			globalThis.gc?.();
			write({ rss: process.memoryUsage.rss() });
		}
	}).listen(port, '127.0.0.1');
}
