import { FieldChecks, messageIdOf, notFound } from '@daycare/api';
import {
  type AgentCall,
  type AgentSettings,
  type AgentWriter,
  type FindOrCreateAgent,
  gatewayKey,
  type ToolPolicy,
} from '../../agents';
import { promptLimits, type Subusers } from './subuser-directory';

export interface ConfigureSubuserDeps {
  readonly subusers: Subusers;
  readonly agents: Pick<AgentWriter, 'configure'>;
  readonly findOrCreateAgent: FindOrCreateAgent;
  readonly now: () => Date;
}

export interface ConfiguredSubuser {
  readonly subuserId: string;
  readonly gatewayAgentId: string;
}

export interface ConfigureSubuserRequest {
  readonly subuserId: string;
  /** The gateway's new prompt. */
  readonly systemPrompt?: string | undefined;
  /** The new policy for all the subuser's agents; the caller has checked it. */
  readonly toolPolicy?: ToolPolicy | undefined;
}

/**
 * Changes the system prompt of a subuser's gateway, the subuser's tool policy (which is stored with the gateway), or
 * both. Creates the gateway if there is none yet.
 */
export function makeConfigureSubuser({
  subusers,
  agents,
  findOrCreateAgent,
  now,
}: ConfigureSubuserDeps) {
  return async (
    call: AgentCall,
    { subuserId, systemPrompt, toolPolicy }: ConfigureSubuserRequest,
  ): Promise<ConfiguredSubuser> => {
    const checks = new FieldChecks().id(subuserId, 'subuserId');
    if (systemPrompt !== undefined) checks.text(systemPrompt, 'systemPrompt', promptLimits);
    checks
      .require(
        Boolean(systemPrompt ?? toolPolicy),
        'systemPrompt',
        'is required unless a tool policy is given',
      )
      .done();
    const subuser = await subusers.find(call, subuserId);
    if (!subuser) throw notFound('subuser');
    const { id, name } = subuser;
    const prompt = systemPrompt?.trim();
    const descriptor = { kind: 'subuser', id, name, systemPrompt: prompt ?? '' } as const;
    const { agent } = await findOrCreateAgent(id, descriptor);
    const gateway = { userId: id, key: gatewayKey(id) };
    const requestId = messageIdOf('configure-subuser', call.agent.id, call.requestId);
    const settings: AgentSettings = { systemPrompt: prompt, toolPolicy, trust: call.trust };
    const request = { requestId, now: now() };
    if (!(await agents.configure(gateway, settings, request))) throw notFound('subuser');
    return { subuserId: id, gatewayAgentId: agent.id };
  };
}
