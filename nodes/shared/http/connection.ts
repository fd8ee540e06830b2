import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	INode,
} from 'n8n-workflow';
import { authenticateRequest, readCountryCode, type ServiceCredential } from './credential';
import { judgeAnswer, judgeError, type Answer, type Failure, type Reader } from './failure';
import {
	parseProxy,
	REQUEST_DEFAULTS,
	toWire,
	type RequestOptions,
	type ServiceRequest,
} from './request';
import { DEFAULT_COUNTRY } from '../service/countries';
import { cleanerOf, type Clean } from './secret';
import { ServiceClock, timeHere } from './ServiceClock';

const CREDENTIAL = 'smsServiceApi';
/** As n8n's router has it. Milliseconds. */
const DEFAULT_TIMEOUT = 300_000;

/** The parts of any context of n8n that a connection needs. */
export interface Host {
	helpers: {
		httpRequestWithAuthentication: IAllExecuteFunctions['helpers']['httpRequestWithAuthentication'];
	};
	getCredentials(type: string): Promise<object>;
	getNode(): INode;
}

/**
 * The service as one run, one poll or one dropdown sees it. The credential is read once: outside an
 * execution, n8n makes an isolate for its expressions each time, which takes about 50 ms.
 */
export class Connection {
	/** As far as the answers so far tell. */
	readonly clock = new ServiceClock();

	private constructor(
		private readonly host: Host,
		private readonly credential: ICredentialsDecrypted,
		/** Takes the key out of a text. */
		readonly clean: Clean,
		private readonly options: RequestOptions,
	) {}

	/**
	 * Reads the credential. Never throws: without it nothing can have been sent.
	 *
	 * @param options what the user set under the node's request options
	 */
	static async open(host: Host, options: RequestOptions = {}): Promise<Connection | Failure> {
		try {
			const data = (await host.getCredentials(CREDENTIAL)) as ICredentialDataDecryptedObject;
			// The errors of n8n 1.x don't tell a credential that can't be used from a lost answer.
			authenticateRequest(data, { url: '/v2' });
			const { id = '', name = '' } = host.getNode().credentials?.[CREDENTIAL] ?? {};
			const credential = { id: id ?? '', name, type: CREDENTIAL, data };
			return new Connection(host, credential, cleanerOf(data.apiKey), options);
		} catch (error) {
			const { message, description } = error as { message?: string; description?: string };
			return {
				status: 'notSent',
				message: message || 'The credential could not be read',
				advice: description ?? 'Check the credential of the node.',
				transient: false,
				general: true,
				cause: 'configuration-invalid',
			};
		}
	}

	/** What the credential says beside address and key: how numbers are read, and what test runs do. */
	get account(): { country: string } & Pick<ServiceCredential, 'manualRuns' | 'testNumber'> {
		const { data = {} } = this.credential;
		const { manualRuns, testNumber } = data;
		return { country: readCountryCode(data), manualRuns, testNumber };
	}

	/** Makes one request, once, and judges its answer. Never throws. */
	async request<T>(
		request: ServiceRequest,
		read: Reader<T>,
		{ timeout = this.options.timeout }: Pick<RequestOptions, 'timeout'> = {},
	): Promise<{ value: T } | Failure> {
		const { proxy, allowUnauthorizedCerts } = this.options;
		const asked = timeHere();
		try {
			const answer = (await this.host.helpers.httpRequestWithAuthentication.call(
				this.host as unknown as IAllExecuteFunctions,
				CREDENTIAL,
				{
					...REQUEST_DEFAULTS,
					...toWire(request),
					returnFullResponse: true,
					timeout: timeout || DEFAULT_TIMEOUT,
					...(proxy ? { proxy: parseProxy(proxy) } : {}),
					...(allowUnauthorizedCerts ? { skipSslCertificateValidation: true } : {}),
				},
				{ credentialsDecrypted: this.credential },
			)) as Answer;
			const result = judgeAnswer(answer, read);
			// An answer that was not understood may come from something before the service, with its own clock.
			if ('value' in result) this.clock.observe(answer.headers?.date, asked, timeHere());
			return result;
		} catch (error) {
			return judgeError(error);
		}
	}
}

/** The default country of a credential; France where it could not be read. */
export function countryOf(connection: Connection | Failure): string {
	return connection instanceof Connection ? connection.account.country : DEFAULT_COUNTRY;
}
