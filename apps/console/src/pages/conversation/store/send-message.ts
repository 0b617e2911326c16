import { newRequestId } from '@daycare/client/browser';
import type { Agent, FileReference } from '@daycare/contracts/agent-runtime';
import { daycare, describeError, leaveIfSignedOut } from '../../../data/client';
import type { ConversationStore } from './conversation-store';
import { stillPending, type PendingMessage } from './pending-message';

/** Delivers a message to an agent; resolves to the id of the stored message. */
export type Deliver = (message: PendingMessage) => Promise<string>;

/**
 * Chooses how to deliver messages to an agent. A message that interrupts is sent as steering text or, if it has files,
 * posted after the turn has been stopped. Any other message is posted as the person's next message if the agent belongs
 * to a connector's channel, or sent to the subuser's nametag if the agent is a gateway. All other agents accept only
 * steering text, which interrupts them.
 */
export function deliveryTo(agent: Agent, subuserNametag: string | undefined): Deliver {
  const kind = agent.descriptor?.kind;
  return (message) => {
    if (message.isSteering && message.files.length > 0 && kind?.$case === 'user')
      return stopAndPost(agent.id, kind.value, message);
    if (message.isSteering) return steer(agent.id, message);
    if (kind?.$case === 'user') return post(kind.value, message);
    if (subuserNametag !== undefined) return sendToSubuser(subuserNametag, message);
    return steer(agent.id, message);
  };
}

/** Reports whether the agent belongs to a connector's channel. Only then can files be attached. */
export function hasChannel(agent: Agent): boolean {
  return agent.descriptor?.kind?.$case === 'user';
}

interface ChannelName {
  readonly connector: string;
  readonly channelId: string;
  readonly connectorUserId: string;
}

async function post(
  { connector, channelId, connectorUserId }: ChannelName,
  { requestId, text, files }: PendingMessage,
): Promise<string> {
  const fileIds = files.map(({ id }) => id);
  const channel = { connector, channelId, connectorUserId };
  const request = { ...channel, requestId, text, fileIds, replyTarget: '' };
  return (await daycare.rpc.agentRuntime.postMessage(request)).messageId;
}

async function sendToSubuser(
  nametag: string,
  { requestId, text }: PendingMessage,
): Promise<string> {
  return (await daycare.friends.send(nametag, text, { requestId })).messageId;
}

async function steer(agentId: string, { requestId, text }: PendingMessage): Promise<string> {
  const request = { requestId, agentId, steeringText: text, replyTarget: '' };
  return (await daycare.rpc.agentRuntime.stopTurn(request)).messageId;
}

/** Steering text cannot carry files, so the turn is stopped first, and then the message is posted. */
async function stopAndPost(
  agentId: string,
  channel: ChannelName,
  message: PendingMessage,
): Promise<string> {
  // The id is the same on every attempt, because a retry must not stop the turn that the message has started.
  const requestId = `${message.requestId}-stop`;
  const request = { requestId, agentId, steeringText: '', replyTarget: '' };
  await daycare.rpc.agentRuntime.stopTurn(request);
  return post(channel, message);
}

/** Shows a message immediately with its delivery state, and sends it. */
export function sendMessage(
  store: ConversationStore,
  deliver: Deliver,
  message: { text: string; files: readonly FileReference[]; isSteering: boolean },
): Promise<void> {
  const pending: PendingMessage = {
    ...message,
    requestId: newRequestId(),
    state: 'sending',
    messageId: undefined,
    problem: '',
  };
  store.pending.value = [...store.pending.peek(), pending];
  return attempt(store, deliver, pending);
}

/** Retries with the same request id, so that the message is not stored twice if the first attempt did succeed. */
export function resendMessage(
  store: ConversationStore,
  deliver: Deliver,
  message: PendingMessage,
): Promise<void> {
  update(store, message.requestId, { state: 'sending', problem: '' });
  return attempt(store, deliver, message);
}

export function discardMessage(store: ConversationStore, requestId: string): void {
  store.pending.value = store.pending.peek().filter((one) => one.requestId !== requestId);
}

async function attempt(
  store: ConversationStore,
  deliver: Deliver,
  message: PendingMessage,
): Promise<void> {
  try {
    const messageId = await deliver(message);
    update(store, message.requestId, { state: 'stored', messageId });
    // The record may have arrived before this response.
    store.pending.value = stillPending(store.pending.peek(), store.records.peek().slice(-200));
  } catch (error) {
    if (leaveIfSignedOut(error)) return;
    update(store, message.requestId, { state: 'failed', problem: describeError(error) });
  }
}

function update(
  store: ConversationStore,
  requestId: string,
  change: Partial<PendingMessage>,
): void {
  store.pending.value = store.pending
    .peek()
    .map((one) => (one.requestId === requestId ? { ...one, ...change } : one));
}
