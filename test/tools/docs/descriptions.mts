/** What the nodes and the credential tell n8n of themselves, for a program that no vitest runs (see sources.mts). */
import { SmsServiceApi } from '../../../credentials/SmsServiceApi.credentials.ts';

export { descriptions } from '../../descriptions.mts';
export const credential = new SmsServiceApi();
