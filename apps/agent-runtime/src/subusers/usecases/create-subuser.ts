import { FieldChecks, messageIdOf, notFound } from '@daycare/api';
import {
  type AgentCall,
  type AgentWriter,
  type FindOrCreateAgent,
  gatewayKey,
  promptOf,
  type ToolPolicy,
} from '../../agents';
import { promptLimits, type Subusers } from './subuser-directory';

export interface CreateSubuserDeps {
  readonly subusers: Subusers;
  readonly agents: Pick<AgentWriter, 'configure'>;
  readonly findOrCreateAgent: FindOrCreateAgent;
  /** Creates a user's home directories; may be repeated. */
  readonly ensureHome: (userId: string) => Promise<void>;
  readonly now: () => Date;
}

export interface CreateSubuserRequest {
  readonly name: string;
  readonly systemPrompt: string;
  readonly description: string;
  /** The policy for all its agents; the caller has checked it. */
  readonly toolPolicy?: ToolPolicy | undefined;
}

export interface CreatedSubuser {
  readonly subuserId: string;
  readonly gatewayAgentId: string;
  readonly name: string;
  readonly nametag: string;
}

/**
 * Creates a subuser, its home directories and its gateway. A retry finds what exists and
 * completes an interrupted creation; deleting the subuser removes whatever exists.
 */
export function makeCreateSubuser({
  subusers,
  agents,
  findOrCreateAgent,
  ensureHome,
  now,
}: CreateSubuserDeps) {
  return async (call: AgentCall, spec: CreateSubuserRequest): Promise<CreatedSubuser> => {
    // Checked before anything is created, so that an invalid prompt leaves no subuser without a gateway behind.
    new FieldChecks().text(spec.systemPrompt, 'systemPrompt', promptLimits).done();
    const requestId = messageIdOf('create-subuser', call.agent.id, call.requestId);
    const { name: requestedName, description } = spec;
    const subuser = await subusers.create(
      { ...call, requestId },
      { name: requestedName, description },
    );
    const { id, name, nametag } = subuser;
    await ensureHome(id);
    const systemPrompt = spec.systemPrompt.trim();
    const { agent, created } = await findOrCreateAgent(
      id,
      { kind: 'subuser', id, name, systemPrompt },
      call.trust,
    );
    if (agent.diedAt) throw notFound('subuser');
    const { toolPolicy } = spec;
    // A message that arrived before the creation was completed may have created the gateway without a prompt.
    const lacksPrompt = !created && promptOf(agent.descriptor) === '';
    const settings = {
      ...(toolPolicy ? { toolPolicy } : {}),
      ...(lacksPrompt ? { systemPrompt, trust: call.trust } : {}),
    };
    const request = { requestId, now: now() };
    if (toolPolicy || lacksPrompt)
      await agents.configure({ userId: id, key: gatewayKey(id) }, settings, request);
    return { subuserId: id, gatewayAgentId: agent.id, name, nametag };
  };
}
