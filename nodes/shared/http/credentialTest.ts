import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { redact } from './secret';
import { judgeAnswer, judgeError, type Answer, type Failure } from './failure';
import { readAccountStatistics } from '../service/account';
import { authenticateRequest } from './credential';

/**
 * The Test button of the credential: GET /v2/account/stats (interface document 4.6). A function,
 * because n8n's declarative credential test shows a bare code such as ENOTFOUND for a wrong host.
 */
export async function smsServiceApiTest(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	const { helpers } = this; // n8n gives credential tests this one helper, the older request form
	const data = credential.data ?? {};
	try {
		const response = (await helpers.request({
			...authenticateRequest(data, {
				method: 'GET',
				url: '/v2/account/stats',
				headers: { Accept: 'application/json' },
			}),
			json: true,
			simple: false,
			resolveWithFullResponse: true,
			followRedirect: false,
			timeout: 15_000,
		})) as Answer;
		const judged = judgeAnswer(response, readAccountStatistics);
		if ('value' in judged) return { status: 'OK', message: 'Connection successful!' };
		return refusal(judged, data);
	} catch (error) {
		return refusal(judgeError(error), data);
	}
}

function refusal(
	{ message, advice }: Failure,
	{ apiKey }: ICredentialDataDecryptedObject,
): INodeCredentialTestResult {
	const text = [`${message}.`, advice].filter(Boolean).join(' ');
	return { status: 'Error', message: redact(text, String(apiKey ?? '')) };
}
