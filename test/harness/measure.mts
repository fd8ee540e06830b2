/** The costs of a long run in this process: how long it holds up other work, and how much memory it takes. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { processorTime } from './processor-time.mts';

/** Milliseconds from one look at the event loop to the next. */
const LOOK = 5;

/** Collects garbage of earlier work, so that it doesn't count for the next one. */
function collectGarbage(): void {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as (options: object) => void;
	collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/**
 * The longest time that some work holds the event loop up, in milliseconds by the clock and of processor time, the part
 * of the whole processor time that this is, and the memory of this process in bytes; all of it as a text.
 */
export async function measure<T>(work: () => Promise<T>) {
	collectGarbage();
	let [last, lastBusy, stall, busy, memory] = [performance.now(), processorTime(), 0, 0, 0];
	const look = () => {
		const [now, nowBusy] = [performance.now(), processorTime()];
		stall = Math.max(stall, now - last - LOOK);
		busy = Math.max(busy, nowBusy - lastBusy);
		[last, lastBusy] = [now, nowBusy];
		memory = Math.max(memory, process.memoryUsage.rss());
	};
	const looks = setInterval(look, LOOK);
	const [started, idle] = [performance.now(), processorTime()];
	const result = await work();
	look();
	clearInterval(looks);
	const seconds = (performance.now() - started) / 1_000;
	const share = busy / (processorTime() - idle);
	const told = `${seconds.toFixed(1)} s, longest stall ${stall.toFixed()} ms (${busy.toFixed()} ms of processor time), memory ${(memory / 1_048_576).toFixed()} MB`;
	return { result, seconds, stall, busy, share, memory, told };
}
