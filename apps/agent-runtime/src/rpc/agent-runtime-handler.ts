import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { agentRuntimeAccess } from '@daycare/contracts/access';
import { implementService, type Caller, type ServiceImplementation } from '@daycare/rpc';
import type { makeCallTool, makeListTools } from '../tools/call-tool';
import type { AgentRuntimeUsecases } from '../usecases';
import {
  readDescriptor,
  readKinds,
  readSelector,
  toAgentMessage,
  toDeadLetterMessage,
  toGateway,
  toSummary,
} from './agent-messages';
import { toDownloadResponses, toUploadParts, toUploadResponse } from './file-messages';
import {
  readDecision,
  readPermissionStates,
  toPermissionEvent,
  toPermissionMessage,
} from './permission-messages';
import { toRecordMessage, toWatchResponse } from './history-messages';
import { scheduleHandlers, toCronMessage, toHeartbeatMessage } from './schedule-messages';
import { userOf } from './user-of';

/**
 * daycare.agent_runtime.v1.AgentRuntimeService: translation between messages and usecases, nothing
 * else.
 */
export function agentRuntimeHandler(
  usecases: AgentRuntimeUsecases & ToolUsecases,
): ServiceImplementation {
  return implementService(
    'daycare.agent_runtime.v1.AgentRuntimeService',
    AgentRuntimeServiceService,
    agentRuntimeAccess,
    {
      ...scheduleHandlers(usecases),
      postMessage: (request, { caller }) =>
        usecases.postMessage({ ...request, userId: userOf(caller).userId }),
      async *watchAgent(request, { caller, signal, recheck }) {
        const call = { ...request, userId: userOf(caller).userId, signal, recheck };
        for await (const event of usecases.watchAgent(call)) yield toWatchResponse(event);
      },
      getAgent: async (request, { caller }) => ({
        agent: toAgentMessage(
          await usecases.getAgent(userOf(caller).userId, readSelector(request)),
        ),
      }),
      listAgents: async (request, { caller }) => {
        const { userId } = userOf(caller);
        const call = { ...request, userId, kinds: readKinds(request.kinds) };
        const { views, nextPageToken } = await usecases.listAgents(call);
        return { agents: views.map(toAgentMessage), nextPageToken };
      },
      resetAgent: async (request, { caller }) => {
        await usecases.resetAgent({ ...request, userId: userOf(caller).userId });
        return {};
      },
      sendAgentMessage: (request, { caller }) => {
        const { userId, agentId = '' } = userOf(caller);
        return usecases.sendAgentMessage({ ...request, userId, senderAgentId: agentId, hops: 1 });
      },
      startBackgroundAgent: (request, { caller }) => {
        const { userId, agentId = '' } = userOf(caller);
        const parentAgentId = request.parentAgentId || agentId;
        return usecases.startBackgroundAgent({ ...request, userId, parentAgentId, hops: 1 });
      },
      listPermissionRequests: async (request, { caller }) => {
        const { userId } = userOf(caller);
        const call = { ...request, userId, states: readPermissionStates(request.states) };
        const { requests, nextPageToken } = await usecases.listPermissionRequests(call);
        return { permissionRequests: requests.map(toPermissionMessage), nextPageToken };
      },
      async *watchPermissionRequests(_request, { caller, signal, recheck }) {
        const call = { userId: userOf(caller).userId, signal, recheck };
        for await (const event of usecases.watchPermissionRequests(call))
          yield toPermissionEvent(event);
      },
      decidePermission: async (request, { caller }) => {
        const decision = readDecision(request.decision);
        const call = { ...request, userId: userOf(caller).userId, decision };
        return { permissionRequest: toPermissionMessage(await usecases.decidePermission(call)) };
      },
      listHistory: async (request, { caller }) => {
        const call = { ...request, userId: userOf(caller).userId };
        const { records, nextPageToken } = await usecases.listHistory(call);
        return { records: records.map(toRecordMessage), nextPageToken };
      },
      async *exportAgent({ agentId }, { caller }) {
        for await (const { fileName, chunk } of usecases.exportAgent(
          userOf(caller).userId,
          agentId,
        ))
          yield { fileName, chunk: Buffer.from(chunk) };
      },
      callTool: async (request, { caller, signal }) => {
        const call = { ...request, userId: userOf(caller).userId, signal };
        const { resultJson, truncated } = await usecases.callTool(call);
        return { resultJson, truncated };
      },
      listTools: async (request, { caller }) => {
        const call = { ...request, userId: userOf(caller).userId };
        const { tools, nextPageToken } = await usecases.listTools(call);
        return {
          tools: tools.map(({ name, description, inputSchema }) => ({
            name,
            description,
            inputSchemaJson: JSON.stringify(inputSchema),
          })),
          nextPageToken,
        };
      },
      listDeadLetters: async (request, { caller }) => {
        const call = { ...request, reader: readerOf(caller) };
        const { letters, nextPageToken } = await usecases.listDeadLetters(call);
        return { deadLetters: letters.map(toDeadLetterMessage), nextPageToken };
      },
      retryDeadLetter: async ({ requestId, deadLetterId }, { caller }) => {
        await usecases.retryDeadLetter(readerOf(caller), requestId, deadLetterId);
        return {};
      },
      uploadFile: async (requests, { caller }) =>
        toUploadResponse(
          await usecases.uploadFile({
            userId: userOf(caller).userId,
            parts: toUploadParts(requests),
          }),
        ),
      downloadFile: ({ fileId }, { caller }) =>
        toDownloadResponses(usecases.downloadFile(userOf(caller).userId, fileId)),
      ensureAgent: async ({ requestId, userId, descriptor }) => {
        const wanted = readDescriptor(descriptor);
        const { agent, created } = await usecases.ensureAgent(userId, wanted, requestId);
        const [view] = await usecases.describeAgents([agent]);
        return { agent: view && toAgentMessage(view), created };
      },
      listScope: async (request) => {
        const { agents, gateways, crons, heartbeats, ...rest } = await usecases.listScope(request);
        return {
          ...rest,
          agents: agents.map(toSummary),
          gateways: gateways.map(toGateway),
          crons: crons.map(toCronMessage),
          heartbeats: heartbeats.map(toHeartbeatMessage),
        };
      },
    },
  );
}

/** The tools of agents, called from outside. */
export interface ToolUsecases {
  readonly callTool: ReturnType<typeof makeCallTool>;
  readonly listTools: ReturnType<typeof makeListTools>;
}

function readerOf(caller: Caller): { readonly userId: string } | 'operator' {
  return caller.kind === 'admin' ? 'operator' : { userId: userOf(caller).userId };
}
