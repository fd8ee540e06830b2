import { NodeOperationError, type IDataObject, type IPollFunctions } from 'n8n-workflow';
import { logOnce, toError, type Problem } from './log';
import { failureIn, type SmsService } from './service';
import type { Settings } from './settings';

/**
 * Events made of what the service has now, one for each source, to build a workflow with. Nothing is
 * remembered.
 *
 * @throws NodeApiError, NodeOperationError when there is nothing to show
 */
export async function takeSamples(
	context: IPollFunctions,
	{ sources, nothing }: Settings,
	service: SmsService,
): Promise<IDataObject[]> {
	const items: IDataObject[] = [];
	const problems: Problem[] = [];
	for (const source of sources) {
		const { key, title } = source;
		try {
			const item = await source.sample(service);
			if (item !== undefined) items.push(item);
		} catch (error) {
			problems.push({ key, title, failure: failureIn(error), isWhole: true });
		}
	}
	if (items.length > 0) {
		logOnce(context, problems);
		return items;
	}
	if (problems.length > 0) throw toError(context, problems);
	throw new NodeOperationError(context.getNode(), 'There is nothing to show yet', {
		description: `${nothing} You can publish the workflow anyway.`,
	});
}
