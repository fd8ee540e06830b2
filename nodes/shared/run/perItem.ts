import {
	NodeOperationError,
	sleep,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';
import { describeInvalid, errorItem } from './errors';

/** Milliseconds of work after which other work of n8n gets its turn. */
const SLICE_OF_WORK = 20;

/** Calls a function for each number below `count`, in slices that leave room for n8n's other work. */
export async function inSlices(count: number, work: (index: number) => void): Promise<void> {
	let sliceEnd = Date.now() + SLICE_OF_WORK;
	for (let index = 0; index < count; index++) {
		if (Date.now() > sliceEnd) {
			await sleep(0);
			sliceEnd = Date.now() + SLICE_OF_WORK;
		}
		work(index);
	}
}

/**
 * The result of a function for each item, where no request is needed. One bad item stops the run, or
 * becomes an error item with "Continue on fail".
 */
export async function perItem(
	context: IExecuteFunctions,
	work: (index: number) => IDataObject,
): Promise<INodeExecutionData[]> {
	const results: INodeExecutionData[] = [];
	await inSlices(context.getInputData().length, (index) => {
		try {
			results.push({ json: work(index), pairedItem: { item: index } });
		} catch (error) {
			const { message, description } = describeInvalid(error);
			if (!context.continueOnFail()) {
				throw new NodeOperationError(context.getNode(), message, {
					itemIndex: index,
					description,
				});
			}
			const json = {
				error: message,
				status: 'invalid',
				...(description ? { description } : {}),
			};
			results.push(
				errorItem(context.getNode(), json, { message, advice: description ?? '' }, index),
			);
		}
	});
	return results;
}
