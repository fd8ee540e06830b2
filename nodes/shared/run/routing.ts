import type {
	IDataObject,
	IExecutePaginationFunctions,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	INodeExecutionData,
	INodePropertyRouting,
} from 'n8n-workflow';
import { judgeAnswer, judgeError, type Answer } from '../http/failure';
import type { ServiceRequest } from '../http/request';
import type { Prepared, RoutedOperation } from './RoutedOperation';
import { RoutedRun } from './RoutedRun';
import type { Attempt } from './steps';

/**
 * The routing of a declarative operation. The router of n8n sends all items at once and forgets
 * everything at the first failure; its pagination hook is the one place where a request can be held
 * back, so that each operation goes through it (see RoutedRun).
 */
export function routed<T, P extends Prepared = Prepared>(
	operation: RoutedOperation<T, P>,
): INodePropertyRouting {
	const { method, url, repeatable = method === 'GET' || method === 'DELETE' } = operation;
	const complete = { ...operation, repeatable } as unknown as RoutedOperation<unknown, Prepared>;
	return {
		request: { method, url },
		send: {
			paginate: true,
			preSend: [
				async function (this: IExecuteSingleFunctions, request: IHttpRequestOptions) {
					const run = RoutedRun.join(this);
					try {
						run.register(this, operation.prepare.call(this));
					} catch (error) {
						run.registerInvalid(this, error);
					}
					return request;
				},
			],
		},
		operations: {
			async pagination(this: IExecutePaginationFunctions, settings) {
				const attempt: Attempt = async (request, read) => {
					const options = address(settings.options as IHttpRequestOptions, request);
					try {
						const [answer] = await this.makeRoutingRequest({ ...settings, options });
						return judgeAnswer(answer.json as unknown as Answer, read);
					} catch (error) {
						return judgeError(error);
					}
				};
				return await RoutedRun.of(this).settle(this, complete, attempt);
			},
		},
		output: {
			postReceive: [
				// Hands the whole answer, success or not, to the pagination hook above, which judges it.
				async (_items: INodeExecutionData[], response: IN8nHttpFullResponse) => [
					{ json: response as unknown as IDataObject },
				],
			],
		},
	};
}

function address(options: IHttpRequestOptions, request: ServiceRequest): IHttpRequestOptions {
	const { method, url, qs = {}, body } = request;
	const addressed = { ...options, method, url, qs };
	delete addressed.body;
	return body === undefined ? addressed : { ...addressed, body };
}
