import { z } from 'zod';
import { type CreateAgent, isAnswerable, labelOf, trustToPassOn } from '../../agents';
import { isGateway, isWriterOrigin, type Messaging } from '../../messaging';
import type { RequestPermission } from '../../permissions';
import { defineTool, type CallRecipient, type Tool, type ToolContext } from '../registry/tool';
import { anyAgent, everyone } from '../registry/tool-access';

export interface AgentToolsDeps {
  readonly messaging: AgentMessaging;
  readonly requestPermission: RequestPermission;
  readonly createAgent: CreateAgent;
}

type AgentMessaging = Pick<Messaging, 'sendAgentMessage' | 'startBackgroundAgent' | 'resetAgent'>;

const access = { isVisibleTo: everyone, authorise: anyAgent };

/** The tools with which an agent works with other agents, requests permissions and resets itself. */
export function agentTools({ messaging, requestPermission, createAgent }: AgentToolsDeps): Tool[] {
  return [
    sendMessageTool(messaging),
    startBackgroundTool(messaging),
    createTool(createAgent),
    requestPermissionTool(requestPermission),
    resetTool(messaging),
  ];
}

/** Open to every agent, because the usecase refuses recipients that the sender may not reach. */
function sendMessageTool({ sendAgentMessage }: AgentMessaging): Tool {
  return defineTool({
    name: 'send_agent_message',
    description:
      'Sends a message to another agent, e.g. to ask, report or reply. Without an agentId, it goes to the agent that ' +
      'started you, or else to the agent that last talked with the user; a subuser’s gateway answers whoever sent ' +
      'the message it is working on. Returns the agentId and messageId. A reply arrives later as a system message, ' +
      'so do not wait for it.',
    schema: {
      text: z.string().describe('Up to 32,768 characters'),
      agentId: z
        .string()
        .optional()
        .describe(
          'The recipient’s id. To reply, use the origin of the system message you received: an agent id or, if you ' +
            'are a gateway, possibly a nametag with a prefix, such as friend:swiftfox42',
        ),
    },
    ...access,
    recipientOf: ({ agentId = '' }, context) => recipientOf(agentId, context),
    async execute({ text, agentId: recipient = '' }, context) {
      const { agent, requestId } = context;
      const { messageId, agentId } = await sendAgentMessage({
        userId: agent.userId,
        senderAgentId: agent.id,
        requestId,
        agentId: recipient,
        text,
        startedBy: context.startedBy,
        ...turnOf(context),
      });
      const to = isWriterOrigin(agentId) ? agentId : `agent ${agentId}`;
      return { summary: `Message sent to ${to}`, agentId, messageId };
    },
  });
}

/**
 * Returns who receives a message. Without an agentId, a gateway answers whoever started its turn, if it can; otherwise
 * the message goes to the agent's parent or to an agent that talks with the user.
 */
function recipientOf(agentId: string, { agent, startedBy }: ToolContext): CallRecipient {
  if (isWriterOrigin(agentId))
    return { kind: agentId.toLowerCase() === startedBy.origin ? 'sender' : 'others' };
  if (agentId !== '') return { kind: 'agent', agentId };
  if (!isGateway(agent)) return { kind: 'home' };
  if (isAnswerable(startedBy)) return { kind: 'sender' };
  return startedBy.sender ? { kind: 'agent', agentId: startedBy.sender.agentId } : { kind: 'home' };
}

function startBackgroundTool({ startBackgroundAgent }: AgentMessaging): Tool {
  return defineTool({
    name: 'start_background_agent',
    description:
      'Starts a new agent that works on a single task while you continue. It knows nothing about this conversation, ' +
      'so include everything it needs, and tell it to report back with send_agent_message; it ends once it has ' +
      'reported. Returns its agentId immediately. If it fails, you receive a system message.',
    schema: {
      prompt: z.string().min(1).max(32_768).describe('The complete task'),
      name: z.string().max(100).optional().describe('A short display name'),
    },
    ...access,
    execute: ({ prompt, name = '' }, { agent, requestId, ...turn }) =>
      startBackgroundAgent({
        userId: agent.userId,
        parentAgentId: agent.id,
        requestId,
        prompt,
        name,
        ...turnOf(turn),
      }),
  });
}

function createTool(createAgent: CreateAgent): Tool {
  return defineTool({
    name: 'agent_create',
    description:
      'Creates a lasting agent for recurring work; only your user can end it. A permanent agent works on its ' +
      'own; an app reports to you. For a single task, use start_background_agent. Returns the agentId, for ' +
      'send_agent_message and crons.',
    schema: {
      kind: z.enum(['permanent', 'app']),
      name: z.string().describe('A display name, up to 100 characters'),
      systemPrompt: z.string().optional().describe('Its standing instructions'),
      description: z.string().optional().describe('What a permanent agent is for, in one line'),
    },
    ...access,
    async execute({ kind, name, systemPrompt = '', description = '' }, context) {
      const { agent, requestId, trust } = context;
      const creator = { userId: agent.userId, parentAgentId: agent.id, requestId, trust };
      const created = await createAgent({ ...creator, kind, name, systemPrompt, description });
      const summary = `Created the agent ${JSON.stringify(labelOf(created.descriptor))}`;
      return { summary, agentId: created.id };
    },
  });
}

function requestPermissionTool(requestPermission: RequestPermission): Tool {
  return defineTool({
    name: 'request_permission',
    description:
      'Asks the user to grant you a permission, e.g. network for exec. Returns the request’s id, status and expiry ' +
      'immediately; the decision arrives later as a system message. If no one decides before the request expires, ' +
      'you receive nothing.',
    schema: {
      permission: z.string().describe('The permission you need, e.g. network'),
      reason: z.string().describe('Why you need it, for the user to read; up to 1,000 characters'),
    },
    ...access,
    async execute({ permission, reason }, context) {
      const { agent, requestId, startedBy, hops, turn } = context;
      const { trust, readPrivate, foreignWriter, hasReadForeign, isShared } = context;
      const labels = { trust, readPrivate, foreignWriter, hasReadForeign, isShared };
      const askedIn = { ...labels, startedBy, hops, turn };
      const request = await requestPermission({ agent, requestId, permission, reason, askedIn });
      const { id: permissionRequestId, state: status, expiresAt } = request;
      return { permissionRequestId, status, expiresAt: expiresAt.toISOString() };
    },
  });
}

function resetTool({ resetAgent }: AgentMessaging): Tool {
  return defineTool({
    name: 'agent_reset',
    description:
      'Clears your own context: you forget this conversation once everything already waiting for you is done. ' +
      'Use it when the user wants to start over. Returns a confirmation.',
    schema: {
      message: z
        .string()
        .optional()
        .describe('What to remember; the new context begins with this text'),
    },
    ...access,
    async execute({ message = '' }, { agent, requestId, trust, readPrivate, foreignWriter }) {
      const { id: agentId, userId } = agent;
      const turn = { trust, carriesPrivate: readPrivate, foreignWriter };
      await resetAgent({ userId, agentId, requestId, message, isByAgent: true, ...turn });
      return {
        summary: 'Your context will be cleared once everything already waiting for you is done',
      };
    },
  });
}

/** Returns the facts that a message's recipient inherits from the turn that sends it. */
function turnOf({
  hops,
  trust,
  readPrivate,
  foreignWriter,
  startedBy,
}: Pick<ToolContext, 'hops' | 'trust' | 'readPrivate' | 'foreignWriter' | 'startedBy'>) {
  return {
    hops: hops + 1,
    trust: trustToPassOn(trust, startedBy),
    carriesPrivate: readPrivate,
    foreignWriter,
  };
}
