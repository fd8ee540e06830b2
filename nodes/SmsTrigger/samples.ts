import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { emptyCategories } from './emptyCategories';
import type { Source } from './events/Source';
import type { Problem } from './looks';
import type { SmsService } from './service';

/**
 * Events made of what the service has now, one for each source, to build a workflow with. Nothing is
 * remembered.
 *
 * @returns with the categories of which the service has nothing
 */
export async function takeSamples(
	sources: readonly Source[],
	service: SmsService,
): Promise<{ items: INodeExecutionData[]; failures: Problem[]; empty: string[] }> {
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
	return {
		items: items.map((json) => ({ json })),
		failures,
		empty: emptyCategories(looks),
	};
}
