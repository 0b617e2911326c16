import { expect, it } from '@jest/globals';
import type { CallContext } from '@daycare/rpc';
import { messagingHandlers, type MessagingUsecases } from './messaging-handlers';

it('SendAgentMessage, StartBackgroundAgent and ResetAgent pass on the calling turn’s trust and whether it carries private data', async () => {
  const seen: unknown[] = [];
  const record = async (call: unknown) => (seen.push(call), { agentId: 'a', messageId: 'm' });
  const usecases = { sendAgentMessage: record, startBackgroundAgent: record, resetAgent: record };
  const handlers = messagingHandlers(usecases as unknown as MessagingUsecases);
  const turn = { trust: 'guest', carriesPrivate: true } as const;
  const caller = { kind: 'user', userId: 'u', agentId: 'a', ...turn } as const;
  const context = { caller } as unknown as CallContext;
  await handlers.sendAgentMessage!({ requestId: 'r', agentId: 'b', text: 'hi' }, context);
  const start = { requestId: 'r', prompt: 'go', name: '', parentAgentId: '' };
  await handlers.startBackgroundAgent!(start, context);
  await handlers.resetAgent!({ requestId: 'r', agentId: 'b', message: 'hi' }, context);
  expect(seen).toMatchObject([turn, turn, turn]);
});
