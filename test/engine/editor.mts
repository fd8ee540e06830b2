/** Questions of the editor to a node while a form is open: dropdowns, columns, the fields of a mapper. */
import type { IDataObject, ILoadOptionsFunctions, INodeParameters } from 'n8n-workflow';
import { additionalData, core, loadNode, nodeOf, workflowWith } from './harness.mts';

/**
 * The context that n8n gives to what is asked, with these parameters in the form: it has no Stop.
 *
 * @param settings of the credential, beside address and key
 */
export function editorOf(
	name: string,
	{ baseUrl, apiKey }: { baseUrl: string; apiKey: string },
	parameters: INodeParameters = {},
	path = 'parameters',
	settings: IDataObject = {},
): ILoadOptionsFunctions {
	const type = loadNode(name);
	const credentials = { smsServiceApi: { id: '1', name: 'SMS' } };
	const node = nodeOf('SMS', name, { parameters, credentials });
	const instance = workflowWith('workflow', [node], { [name]: type }, {});
	const data = additionalData({ credential: { baseUrl, apiKey, ...settings } });
	data.currentNodeParameters = parameters;
	return new core.LoadOptionsContext(instance, node, data, path);
}
