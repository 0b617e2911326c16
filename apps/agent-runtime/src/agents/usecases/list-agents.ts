import { FieldChecks, fitPage, notFound, pageTokenAfter, readTimePage } from '@daycare/api';
import type { DescriptorKind } from '../domain/descriptor/descriptor';
import type { AgentStore } from '../store/agent-store';
import type { AgentView, DescribeAgents } from './describe-agents';
import type { Directory } from './ensure-agent';

export interface ListAgentsCall {
  readonly userId: string;
  /** One of the caller's subusers; empty for the caller's own agents. */
  readonly subuserId: string;
  readonly kinds: readonly DescriptorKind[];
  readonly includeDead: boolean;
  readonly pageSize: number;
  readonly pageToken: string;
}

export interface ListAgentsDeps {
  readonly agents: AgentStore;
  readonly directory: Directory;
  readonly describeAgents: DescribeAgents;
}

/** Lists the agents of a user or of one of its subusers, newest first. */
export function makeListAgents({ agents, directory, describeAgents }: ListAgentsDeps) {
  return async (call: ListAgentsCall): Promise<{ views: AgentView[]; nextPageToken: string }> => {
    const checks = new FieldChecks();
    const { limit, after } = readTimePage(call, checks);
    if (call.subuserId !== '') checks.id(call.subuserId, 'subuser_id');
    checks.done();
    const { userId, subuserId, kinds, includeDead } = call;
    if (subuserId !== '') await requireOwnSubuser(directory, userId, subuserId);
    const wanted = { userId: subuserId || userId, kinds, includeDead, after, limit: limit + 1 };
    const found = await agents.list(wanted);
    const { page, last } = fitPage(found, limit);
    return {
      views: await describeAgents(page),
      nextPageToken: pageTokenAfter(last),
    };
  };
}

async function requireOwnSubuser(
  directory: Directory,
  userId: string,
  subuserId: string,
): Promise<void> {
  const subuser = await directory.findById(subuserId);
  if (subuser?.parentUserId !== userId) throw notFound('subuser');
}
