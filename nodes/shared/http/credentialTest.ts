import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { readAccountStatistics } from '../service/account';
import { readBody } from './body';
import { authenticateRequest, readAccount, readTestNumber } from './credential';
import type { Answer } from './failure';
import { judgeAnswer, judgeError } from './judge';
import { cleanerOf, receive } from './secret';
import { CHECK_BASE_URL } from './statuses';
import { withinLimit } from './timeLimit';

/** Someone waits in front of the button. Milliseconds. */
const PATIENCE = 15_000;

/**
 * The Test button of the credential: the test number where there has to be one, and GET /v2/account/stats
 * (interface document 4.6). A function, because n8n's declarative credential test shows a bare code such as
 * ENOTFOUND for a wrong host.
 */
export async function smsServiceApiTest(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	const { helpers } = this; // n8n gives credential tests this one helper, the older request form
	const data = credential.data ?? {};
	const clean = cleanerOf(data.apiKey);
	const ask = async (signal: AbortSignal) => {
		const request = authenticateRequest(data, {
			method: 'GET',
			url: '/v2/account/stats',
			headers: { Accept: 'application/json' },
		});
		if (data.manualRuns === 'testNumber') readTestNumber(readAccount(data));
		const answer = (await helpers.request({
			...request,
			json: true,
			simple: false,
			resolveWithFullResponse: true,
			useStream: true,
			timeout: PATIENCE,
		})) as Answer;
		return await readBody(answer, signal);
	};
	const judged = await withinLimit(PATIENCE, ask).then(
		async (answer) => await judgeAnswer(await receive(answer, clean), readAccountStatistics),
		(error) => judgeError(error),
	);
	if ('value' in judged) return { status: 'OK', message: 'Connection successful!' };
	// Every account has this operation.
	const advice = judged.httpCode === 404 ? CHECK_BASE_URL : judged.advice;
	const text = [`${judged.message}.`, advice].filter(Boolean).join(' ');
	return { status: 'Error', message: clean(text) };
}
