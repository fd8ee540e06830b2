/** Descriptions of the nodes, by the names of their folders. */
import type { INodeTypeDescription } from 'n8n-workflow';
import { Sms } from '../nodes/Sms/Sms.node.ts';
import { SmsBlacklist } from '../nodes/SmsBlacklist/SmsBlacklist.node.ts';
import { SmsCampaign } from '../nodes/SmsCampaign/SmsCampaign.node.ts';
import { SmsContact } from '../nodes/SmsContact/SmsContact.node.ts';
import { SmsList } from '../nodes/SmsList/SmsList.node.ts';
import { SmsStats } from '../nodes/SmsStats/SmsStats.node.ts';
import { SmsTrigger } from '../nodes/SmsTrigger/SmsTrigger.node.ts';

const nodes = { Sms, SmsBlacklist, SmsCampaign, SmsContact, SmsList, SmsStats, SmsTrigger };

export const descriptions = Object.fromEntries(
	Object.entries(nodes).map(([name, Node]) => [name, new Node().description]),
) as Record<string, INodeTypeDescription>;
