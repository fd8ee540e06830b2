/** Loaded into a process before its own program: its clock is an hour ahead. */
const HOUR = 3_600_000;
const RealDate = Date;
const realNow = Date.now;
const now = () => realNow() + HOUR;

globalThis.Date = new Proxy(RealDate, {
	apply: () => new RealDate(now()).toString(),
	construct: (target, given, newTarget) =>
		Reflect.construct(
			target,
			given.length === 0 ? [now()] : given,
			newTarget === globalThis.Date ? target : newTarget,
		),
	get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
