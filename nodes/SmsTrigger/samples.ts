import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Source } from './events/Source';
import type { Problem } from './looks';
import type { SmsService } from './service';

/**
 * Events made of what the service has now, one for each source, to build a workflow with. Nothing is
 * remembered.
 */
export async function takeSamples(
	sources: readonly Source[],
	service: SmsService,
): Promise<{ items: INodeExecutionData[]; failures: Problem[] }> {
	const items: IDataObject[] = [];
	const failures: Problem[] = [];
	for (const [at, source] of sources.entries()) {
		service.shareTime(sources.length - at);
		const sample = await source.sample(service);
		if ('items' in sample) items.push(...sample.items);
		else failures.push({ key: source.key, title: source.title, failure: sample });
	}
	service.release();
	return { items: items.map((json) => ({ json })), failures };
}
