/** Finds the endpoint of a request, checks the key, and turns refusals into answers. */
import { inDialect, type Dialect } from './dialect.mts';
import { methodNotAllowed, noRoute, type Answer, type Endpoint } from './endpoints.mts';
import { Refusal } from './errors.mts';
import type { RecordedRequest } from './recorder.mts';
import type { Service } from './service.mts';

export interface RouterOptions {
	apiKey: string;
	headerName: string;
}

/** A method and a path; `:name` stands for one segment, `:name(a|b)` for one of these. */
export interface Route {
	method: string;
	path: string;
}

/** The routes of a path. */
interface Matches<R extends Route> {
	/** The one for the method, with the decoded parts of the path. */
	found?: { route: R; params: Record<string, string> };
	/** The path exists, be it for other methods only. */
	pathExists: boolean;
}

/** A trailing slash is shown on /v2/lists/, and is optional on these three (public facts). */
const OPTIONAL_SLASH = /(\/lists|\/fields|\/campaigns)\/$/;
const LISTS = '/v2/lists';

/** Makes the function that finds the route of a method and a path. */
export function createMatcher<R extends Route>(
	routes: readonly R[],
): (method: string, path: string) => Matches<R> {
	const compiled = routes.map((route) => ({ route, pattern: compile(route.path) }));
	return (method, path) => {
		const matching = compiled.filter(({ pattern }) => pattern.test(path));
		const chosen = matching.find(({ route }) => route.method === method);
		if (chosen === undefined) return { pathExists: matching.length > 0 };
		const params: Record<string, string> = {};
		for (const [name, value] of Object.entries(chosen.pattern.exec(path)?.groups ?? {})) {
			params[name] = decode(value);
		}
		return { found: { route: chosen.route, params }, pathExists: true };
	};
}

/** Makes the function that answers the requests to the service. */
export function createRouter(
	service: Service,
	endpoints: readonly Endpoint[],
	options: RouterOptions,
): (request: RecordedRequest) => Answer {
	const match = createMatcher(endpoints);

	function answer(request: RecordedRequest): Answer {
		const path = withoutSlash(request.path, service.settings.slashes);
		const { found, pathExists } = match(request.method, path);
		const key = found?.route.keyInQuery?.(request)
			? request.query.get('apiKey')
			: request.header(options.headerName);
		if (key !== options.apiKey) throw new Refusal(72);
		if (!pathExists) throw noRoute();
		if (found === undefined) throw methodNotAllowed();
		return found.route.handle({ service, request, params: found.params });
	}

	return (request) => {
		if (!request.path.startsWith('/v2/')) return NOT_THE_SERVICE;
		try {
			return inDialect(answer(request), service.settings);
		} catch (error) {
			if (!(error instanceof Refusal)) throw error;
			return error.toAnswer(service.settings.errors);
		}
	};
}

/** Every path of the service begins with /v2; elsewhere there is a web server like any other. */
const NOT_THE_SERVICE: Answer = {
	status: 404,
	chunks: [
		Buffer.from(
			'<!DOCTYPE html>\n<title>Not found</title>\n<h1>404: nothing lives here</h1>\n',
		),
	],
	headers: { 'Content-Type': 'text/html; charset=utf-8' },
};

/**
 * The path as the endpoints have it.
 * @throws {Refusal} where the dialect wants the slash of /v2/lists/ and it isn't there, or the other way
 */
function withoutSlash(path: string, slashes: Dialect['slashes']): string {
	if (slashes === 'required' && path === LISTS) throw noRoute();
	if (slashes === 'refused' && OPTIONAL_SLASH.test(path)) throw noRoute();
	return path.replace(OPTIONAL_SLASH, '$1');
}

function compile(path: string): RegExp {
	const source = path
		.replaceAll('.', '\\.')
		.replace(
			/:(\w+)(\([^)]*\))?/g,
			(_, name: string, choices?: string) => `(?<${name}>${choices ?? '[^/]+'})`,
		);
	return new RegExp(`^${source}$`);
}

function decode(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		throw noRoute();
	}
}
