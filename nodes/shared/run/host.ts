import type { IContextObject, IExecuteFunctions, INode } from 'n8n-workflow';
import type { Connection } from '../http/connection';
import type { Timing } from './timing';

/** What a run needs to know of n8n, whatever runs the node. */
export interface RunHost {
	node: INode;
	/** The user has chosen to continue on fail. */
	continues: boolean;
	runIndex: number;
	/** n8n's context; undefined where an agent calls the node as a tool. */
	execution: IExecuteFunctions | undefined;
	/** n8n's node context: it survives Retry On Fail and "Retry execution". */
	memory: IContextObject;
	signal: AbortSignal | undefined;
	connection: Connection;
	/** Someone tries the workflow out in the editor. */
	isManual: boolean;
	/** Writes into n8n's log. */
	log: (text: string) => void;
	timing: Timing;
}
