/** Loaded ahead of a program (`node --import`): ends it when the program that started it is gone. */
if (process.channel) {
	process.channel.unref();
	process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
}
