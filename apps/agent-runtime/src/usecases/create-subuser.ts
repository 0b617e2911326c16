import { FieldChecks, notFound } from '@daycare/errors';
import type { AgentCall } from './agent-call';
import type { FindOrMakeAgent } from './ensure-agent';
import { messageIdOf } from './message-id';
import { promptLimits, type Subusers } from './subusers';

export interface CreateSubuserDeps {
  readonly subusers: Subusers;
  readonly findOrMakeAgent: FindOrMakeAgent;
  /** Makes a user's home tree; may be repeated. */
  readonly ensureHome: (userId: string) => Promise<void>;
}

export interface SubuserWish {
  readonly name: string;
  readonly systemPrompt: string;
  readonly description: string;
}

export interface CreatedSubuser {
  readonly subuserId: string;
  readonly gatewayAgentId: string;
  readonly name: string;
  readonly nametag: string;
}

/**
 * Makes a subuser, its home tree and its gateway. All of them are found again by a repeated call, which
 * therefore completes what was cut off in between; deleting the subuser takes away what there is.
 */
export function makeCreateSubuser({ subusers, findOrMakeAgent, ensureHome }: CreateSubuserDeps) {
  return async (call: AgentCall, wish: SubuserWish): Promise<CreatedSubuser> => {
    // Before anything is made: a subuser without a gateway is of no use.
    new FieldChecks().text(wish.systemPrompt, 'systemPrompt', promptLimits).done();
    const requestId = messageIdOf('create-subuser', call.agent.id, call.requestId);
    const { name: wishedName, description } = wish;
    const subuser = await subusers.create(
      { ...call, requestId },
      { name: wishedName, description },
    );
    const { id, name, nametag } = subuser;
    await ensureHome(id);
    const systemPrompt = wish.systemPrompt.trim();
    const { agent } = await findOrMakeAgent(id, { kind: 'subuser', id, name, systemPrompt });
    if (agent.diedAt) throw notFound('subuser');
    return { subuserId: id, gatewayAgentId: agent.id, name, nametag };
  };
}
