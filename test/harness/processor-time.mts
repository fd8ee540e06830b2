/** Milliseconds that this thread has worked: what other programs do meanwhile doesn't count. */
export function processorTime(): number {
	const { user, system } = process.threadCpuUsage();
	return (user + system) / 1_000;
}
