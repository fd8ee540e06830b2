import {
	NodeOperationError,
	sleep,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';
import { InputError } from '../service/InputError';
import { errorItem } from './RoutedRun';

/** Milliseconds of work after which other work of n8n gets its turn. */
export const SLICE_OF_WORK = 20;

/** Runs a function for each item that makes no request. One bad item stops the run, or becomes an
 * error item with "Continue on fail". */
export async function perItem(
	context: IExecuteFunctions,
	work: (index: number) => Promise<IDataObject>,
): Promise<INodeExecutionData[]> {
	const results: INodeExecutionData[] = [];
	let sliceEnd = Date.now() + SLICE_OF_WORK;
	for (let index = 0; index < context.getInputData().length; index++) {
		if (Date.now() > sliceEnd) {
			await sleep(0);
			sliceEnd = Date.now() + SLICE_OF_WORK;
		}
		try {
			results.push({ json: await work(index), pairedItem: { item: index } });
		} catch (error) {
			const { message, description } = error as InputError;
			if (!context.continueOnFail()) {
				throw new NodeOperationError(context.getNode(), message, {
					itemIndex: index,
					description,
				});
			}
			const failure = { message, advice: description ?? '' };
			const json = {
				error: message,
				status: 'invalid',
				...(description ? { description } : {}),
			};
			results.push(errorItem(context, json, failure, index));
		}
	}
	return results;
}
