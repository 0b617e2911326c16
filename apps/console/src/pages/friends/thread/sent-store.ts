import { newRequestId } from '@daycare/client/browser';
import { daycare, describeError, leaveIfSignedOut } from '../../../data/client';
import { startPause } from '../../../data/timing/pause';
import { createStoredList } from '../../../data/stored';
import { isUnsettled, mergeSent, reviveSent, stateOf, type SentMessage } from './sent-message';

const list = createStoredList<SentMessage>('sent', {
  max: 200,
  merge: mergeSent,
  revive: reviveSent,
});

/**
 * The latest messages to friends and shared subusers that were written in this browser. They are stored here because
 * the services erase the text of sent messages.
 */
export const sentMessages = list.entries;

function update(requestId: string, change: Partial<SentMessage>): void {
  list.replace(
    sentMessages.peek().map((one) => (one.requestId === requestId ? { ...one, ...change } : one)),
  );
}

/** Shows a message immediately and sends it. */
export function sendToFriend(nametag: string, text: string): Promise<void> {
  const requestId = newRequestId();
  const message = { requestId, messageId: '', nametag, text, problem: '' };
  list.replace([...sentMessages.peek(), { ...message, atMs: Date.now(), state: 'sending' }]);
  return attempt(requestId, nametag, text);
}

/** Retries with the same request id. */
export function resendToFriend({ requestId, nametag, text }: SentMessage): Promise<void> {
  update(requestId, { state: 'sending', problem: '' });
  return attempt(requestId, nametag, text);
}

async function attempt(requestId: string, nametag: string, text: string): Promise<void> {
  try {
    const { messageId } = await daycare.friends.send(nametag, text, { requestId });
    update(requestId, { state: 'accepted', messageId });
  } catch (error) {
    if (!leaveIfSignedOut(error))
      update(requestId, { state: 'failed', problem: describeError(error) });
  }
}

const pollMs = 1_500;

/**
 * Polls the delivery state of the unsettled messages to one friend or subuser while the page is visible, until the
 * signal is aborted.
 */
export async function followDelivery(nametag: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if (!document.hidden) await refreshAll(nametag, signal);
    await startPause(pollMs, signal).ended;
  }
}

async function refreshAll(nametag: string, signal: AbortSignal): Promise<void> {
  const unsettled = sentMessages
    .peek()
    .filter((message) => message.nametag === nametag && isUnsettled(message));
  for (const { requestId, messageId } of unsettled) await refresh(requestId, messageId, signal);
}

async function refresh(requestId: string, messageId: string, signal: AbortSignal): Promise<void> {
  try {
    const { status, deadReason } = await daycare.friends.status(messageId, { signal });
    update(requestId, { state: stateOf(status), problem: deadReason });
  } catch {
    // The next poll tries again.
  }
}
