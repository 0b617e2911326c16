import { type AgentReader, gatewayKey, type ToolPolicy } from '../../agents';

/** Finds the policy that a subuser's owner has set for all the subuser's agents. */
export type FindToolPolicy = (subuserId: string) => Promise<ToolPolicy | undefined>;

export function makeFindToolPolicy({
  agents,
}: {
  readonly agents: Pick<AgentReader, 'findByKey'>;
}): FindToolPolicy {
  return async (subuserId) =>
    (await agents.findByKey(subuserId, gatewayKey(subuserId)))?.toolPolicy;
}
