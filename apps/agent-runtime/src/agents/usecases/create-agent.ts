import { AppError, FieldChecks, messageIdOf, notFound, type Trust } from '@daycare/api';
import type { Agent } from '../domain/agent';
import { checkDescriptor } from '../domain/descriptor/check-descriptor';
import type { DescriptorOf } from '../domain/descriptor/descriptor';
import type { AgentStore } from '../store/agent-store';
import type { FindOrCreateAgent } from './ensure-agent';

export interface CreateCall {
  readonly userId: string;
  readonly requestId: string;
  /** Undefined when the caller named no kind that can be created. */
  readonly kind: CreatableKind | undefined;
  readonly name: string;
  /** What a permanent agent is for. */
  readonly description: string;
  readonly systemPrompt: string;
  /** The agent that an app reports to. */
  readonly parentAgentId: string;
  /** The trust of the turn that creates the agent; absent when a person creates it. */
  readonly trust?: Trust | undefined;
}

export type CreatableKind = 'permanent' | 'app';

export interface CreateDeps {
  readonly agents: Pick<AgentStore, 'find'>;
  readonly findOrCreateAgent: FindOrCreateAgent;
}

export type CreateAgent = (call: CreateCall) => Promise<Agent>;

/**
 * Creates an agent that lives until it is ended. The id in its descriptor is derived from the request, so a retry
 * returns the same agent.
 */
export function makeCreateAgent({ agents, findOrCreateAgent }: CreateDeps): CreateAgent {
  return async (call) => {
    const checks = new FieldChecks().requestId(call.requestId);
    checks.require(call.kind !== undefined, 'kind', 'must be permanent or app');
    const descriptor = descriptorOf(call);
    checkDescriptor(descriptor, checks, '');
    checks.done();
    if (descriptor.kind === 'app')
      await requireOwnAgent(agents, call.userId, descriptor.parentAgentId);
    const { agent } = await findOrCreateAgent(call.userId, descriptor, call.trust);
    if (agent.diedAt) throw new AppError('FAILED_PRECONDITION', 'The agent has been ended');
    return agent;
  };
}

function descriptorOf(call: CreateCall): DescriptorOf<'permanent'> | DescriptorOf<'app'> {
  const { userId, requestId, kind, description, parentAgentId } = call;
  const id = messageIdOf('create-agent', userId, requestId);
  const [name, systemPrompt] = [call.name.trim(), call.systemPrompt.trim()];
  return kind === 'app'
    ? { kind, id, parentAgentId, name, systemPrompt }
    : { kind: 'permanent', id, name, description: description.trim(), systemPrompt };
}

async function requireOwnAgent(
  agents: CreateDeps['agents'],
  userId: string,
  agentId: string,
): Promise<void> {
  const parent = await agents.find(agentId);
  if (parent?.userId !== userId || parent.diedAt) throw notFound('parent agent');
}
