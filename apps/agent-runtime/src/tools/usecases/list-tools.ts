import { encodePageToken, FieldChecks, readPageToken } from '@daycare/api';
import type { ToolSpec } from '../../models';
import type { ToolRegistry } from '../registry/tool-registry';
import { findOwnAgent, type AgentCaller, type FindAgent } from './find-own-agent';

export interface ListToolsDeps {
  readonly findAgent: FindAgent;
  readonly tools: Pick<ToolRegistry, 'list'>;
}

export interface ListToolsRequest extends AgentCaller {
  readonly agentId: string;
  readonly pageSize: number;
  readonly pageToken: string;
}

/**
 * Lists the tools, sorted by name, that are visible to one of the caller's own agents or, if the caller is a person, to
 * an agent of one of their subusers.
 */
export type ListTools = (
  call: ListToolsRequest,
) => Promise<{ tools: ToolSpec[]; nextPageToken: string }>;

export function makeListTools({ findAgent, tools }: ListToolsDeps): ListTools {
  return async (call) => {
    const checks = new FieldChecks().id(call.agentId, 'agent_id');
    const limit = checks.pageSize(call.pageSize);
    const after = readPageToken(call.pageToken, checks, ([name]) =>
      typeof name === 'string' ? name : undefined,
    );
    checks.done();
    const agent = await findOwnAgent(findAgent, call, call.agentId, true);
    const remaining = tools.list(agent).filter(({ name }) => name > (after ?? ''));
    const page = remaining.slice(0, limit);
    const last = remaining.length > limit ? page.at(-1) : undefined;
    return { tools: page, nextPageToken: last ? encodePageToken([last.name]) : '' };
  };
}
