import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { emptyCategories } from './emptyCategories';
import type { Source } from './events/Source';
import type { Problem } from './looks';
import { logAll, logEmpty, toError, toNothingError } from './problems';
import type { SmsService } from './events/service';

/**
 * Events made of what the service has now, one for each source, to build a workflow with. Nothing is
 * remembered.
 *
 * @param nothing what to say when there is nothing to show
 * @throws NodeApiError, NodeOperationError when there is nothing to show
 */
export async function takeSamples(
	context: IPollFunctions,
	sources: readonly Source[],
	nothing: string,
	service: SmsService,
): Promise<INodeExecutionData[]> {
	const items: IDataObject[] = [];
	const failures: Problem[] = [];
	const looks: Array<{ source: Source; isEmpty: boolean }> = [];
	for (const [at, source] of sources.entries()) {
		service.shareTime(sources.length - at);
		const sample = await source.sample(service);
		looks.push({ source, isEmpty: 'items' in sample && sample.isEmpty === true });
		if ('items' in sample) items.push(...sample.items);
		else failures.push({ key: source.key, title: source.title, failure: sample });
	}
	service.release();
	const empty = emptyCategories(looks);
	if (items.length === 0) {
		throw failures.length > 0
			? toError(context, failures, service.clean)
			: toNothingError(context, nothing, empty);
	}
	logAll(context, failures, service.clean);
	logEmpty(context, empty);
	return items.map((json) => ({ json }));
}
