import { type AgentReader, gatewayKey, type ToolPolicy } from '../../agents';

/** The policy that the owner of a subuser has set for all of its agents. */
export type FindToolPolicy = (subuserId: string) => Promise<ToolPolicy | undefined>;

export function makeFindToolPolicy({
  agents,
}: {
  readonly agents: Pick<AgentReader, 'findByKey'>;
}): FindToolPolicy {
  return async (subuserId) =>
    (await agents.findByKey(subuserId, gatewayKey(subuserId)))?.toolPolicy;
}
