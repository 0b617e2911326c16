import type { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { requireUser, type Handlers } from '@daycare/rpc';
import type { Agents } from '../build';
import type { Agent } from '../domain/agent';
import {
  readCreatableKind,
  readDescriptor,
  readKinds,
  readSelector,
  readToolPolicy,
  toAgentMessage,
} from './agent-messages';
import { toRecordMessage, toWatchResponse } from './history-messages';

export type AgentUsecases = Pick<
  Agents,
  | 'configureAgent'
  | 'createAgent'
  | 'describeAgents'
  | 'ensureAgent'
  | 'exportAgent'
  | 'getAgent'
  | 'listAgents'
  | 'listHistory'
  | 'watchAgent'
>;

/** The RPCs for agents and their histories. */
export function agentHandlers(
  usecases: AgentUsecases,
): Handlers<typeof AgentRuntimeServiceService> {
  const describe = async (agent: Agent) => {
    const [view] = await usecases.describeAgents([agent]);
    return { agent: view && toAgentMessage(view) };
  };
  return {
    async *watchAgent(request, { caller, signal, recheck }) {
      const call = { ...request, userId: requireUser(caller).userId, signal, recheck };
      for await (const event of usecases.watchAgent(call)) yield toWatchResponse(event);
    },
    getAgent: async (request, { caller }) => {
      const { userId } = requireUser(caller);
      return { agent: toAgentMessage(await usecases.getAgent(userId, readSelector(request))) };
    },
    listAgents: async (request, { caller }) => {
      const { userId } = requireUser(caller);
      const call = { ...request, userId, kinds: readKinds(request.kinds) };
      const { views, nextPageToken } = await usecases.listAgents(call);
      return { agents: views.map(toAgentMessage), nextPageToken };
    },
    listHistory: async (request, { caller }) => {
      const call = { ...request, userId: requireUser(caller).userId };
      const { records, nextPageToken } = await usecases.listHistory(call);
      return { records: records.map(toRecordMessage), nextPageToken };
    },
    async *exportAgent({ agentId }, { caller }) {
      const { userId } = requireUser(caller);
      for await (const { fileName, chunk } of usecases.exportAgent(userId, agentId))
        yield { fileName, chunk: Buffer.from(chunk) };
    },
    createAgent: async (request, { caller }) => {
      const kind = readCreatableKind(request.kind);
      const call = { ...request, kind, userId: requireUser(caller).userId };
      return describe(await usecases.createAgent(call));
    },
    configureAgent: async ({ toolPolicy, ...request }, { caller }) => {
      const policy = toolPolicy && readToolPolicy(toolPolicy);
      const call = { ...request, toolPolicy: policy, userId: requireUser(caller).userId };
      return describe(await usecases.configureAgent(call));
    },
    ensureAgent: async ({ requestId, userId, descriptor }) => {
      const wanted = readDescriptor(descriptor);
      const { agent, created } = await usecases.ensureAgent(userId, wanted, requestId);
      const [view] = await usecases.describeAgents([agent]);
      return { agent: view && toAgentMessage(view), created };
    },
  };
}
