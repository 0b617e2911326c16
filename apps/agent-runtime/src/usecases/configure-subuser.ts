import { FieldChecks, notFound } from '@daycare/errors';
import { keyOf } from '../domain/descriptor-kinds';
import type { AgentStore } from '../store/agent-store';
import type { AgentCall } from './agent-call';
import type { FindOrMakeAgent } from './ensure-agent';
import { messageIdOf } from './message-id';
import { promptLimits, type Subusers } from './subusers';

export interface ConfigureSubuserDeps {
  readonly subusers: Subusers;
  readonly agents: Pick<AgentStore, 'setSystemPrompt'>;
  readonly findOrMakeAgent: FindOrMakeAgent;
}

export interface ConfiguredSubuser {
  readonly subuserId: string;
  readonly gatewayAgentId: string;
}

/**
 * Changes what the gateway of one of the caller's subusers is told. A gateway that its maker did not
 * come to make is made.
 */
export function makeConfigureSubuser({ subusers, agents, findOrMakeAgent }: ConfigureSubuserDeps) {
  return async (
    call: AgentCall,
    { subuserId, systemPrompt }: { readonly subuserId: string; readonly systemPrompt: string },
  ): Promise<ConfiguredSubuser> => {
    new FieldChecks()
      .id(subuserId, 'subuserId')
      .text(systemPrompt, 'systemPrompt', promptLimits)
      .done();
    const subuser = await subusers.find(call, subuserId);
    if (!subuser) throw notFound('subuser');
    const { id, name } = subuser;
    const descriptor = { kind: 'subuser', id, name, systemPrompt: systemPrompt.trim() } as const;
    const { agent } = await findOrMakeAgent(id, descriptor);
    const gateway = { userId: id, key: keyOf(descriptor) };
    const requestId = messageIdOf('configure-subuser', call.agent.id, call.requestId);
    if (!(await agents.setSystemPrompt(gateway, descriptor.systemPrompt, requestId)))
      throw notFound('subuser');
    return { subuserId: id, gatewayAgentId: agent.id };
  };
}
