/** Finds the endpoint of a request, checks the key, and turns refusals into answers. */
import { methodNotAllowed, noRoute, type Answer, type Endpoint } from './endpoints.mts';
import { Refusal } from './errors.mts';
import type { RecordedRequest } from './recorder.mts';
import type { Service } from './service.mts';

export interface RouterOptions {
	apiKey: string;
	headerName: string;
	/** JSON error bodies, or bare statuses. */
	errorCodes: boolean;
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
	/** Whether the path exists, be it for other methods only. */
	pathExists: boolean;
}

/** A trailing slash is shown on /lists/ and is optional on these three (public facts). */
const OPTIONAL_SLASH = /(\/lists|\/fields|\/campaigns)\/$/;

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
		const path = request.path.replace(OPTIONAL_SLASH, '$1');
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
			return answer(request);
		} catch (error) {
			if (!(error instanceof Refusal)) throw error;
			return options.errorCodes
				? { status: error.status, json: error.toBody() }
				: { status: error.status };
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
