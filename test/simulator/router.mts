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

/** A trailing slash is shown on /lists/ and is optional on these three (public facts). */
const OPTIONAL_SLASH = /(\/lists|\/fields|\/campaigns)\/$/;

/** Makes the function that answers requests to paths below /v2. */
export function createRouter(
	service: Service,
	endpoints: readonly Endpoint[],
	options: RouterOptions,
): (request: RecordedRequest) => Answer {
	const routes = endpoints.map((endpoint) => ({ ...endpoint, pattern: compile(endpoint.path) }));

	function answer(request: RecordedRequest): Answer {
		const path = request.path.replace(OPTIONAL_SLASH, '$1');
		const matching = routes.filter((route) => route.pattern.test(path));
		const route = matching.find(({ method }) => method === request.method);
		const key = route?.keyInQuery?.(request)
			? request.query.get('apiKey')
			: request.header(options.headerName);
		if (key !== options.apiKey) throw new Refusal(72);
		if (matching.length === 0) throw noRoute();
		if (route === undefined) throw methodNotAllowed();
		const params: Record<string, string> = {};
		for (const [name, value] of Object.entries(route.pattern.exec(path)?.groups ?? {})) {
			params[name] = decode(value);
		}
		return route.handle({ service, request, params });
	}

	return (request) => {
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

function compile(path: string): RegExp {
	const source = path.replace(
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
