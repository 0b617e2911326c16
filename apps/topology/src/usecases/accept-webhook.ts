import type { OutboxStore } from '@daycare/messaging';
import type { Endpoint } from '../domain/endpoint';
import { webhookText } from '../domain/webhook';
import { messageIdOf } from './message-id';

export interface WebhookDelivery {
  readonly endpoint: Pick<Endpoint, 'id' | 'userId' | 'name'>;
  readonly agentId: string;
  /** What the sender calls it; undefined is a new one. */
  readonly deliveryId: string | undefined;
  readonly text: string;
}

export interface WebhookDeps {
  readonly outbox: OutboxStore;
  readonly wake: (lanes: readonly string[]) => void;
  readonly newId: () => string;
}

/**
 * Takes what was posted to a webhook: accepted once it is in the outbox. The same delivery again is no second
 * message, for as long as the outbox and the inbox remember the first.
 */
export function makeAcceptWebhook({ outbox, wake, newId }: WebhookDeps) {
  return async ({ endpoint, agentId, deliveryId, text }: WebhookDelivery): Promise<void> => {
    const lane = `webhook:${endpoint.id}`;
    const id = deliveryId === undefined ? newId() : messageIdOf('webhook', endpoint.id, deliveryId);
    await outbox.append([
      {
        id,
        lane,
        // Nobody the agent knows said it: it has no sender, so nothing in it is an order.
        origin: 'system',
        recipient: { userId: endpoint.userId, target: { $case: 'agentId', value: agentId } },
        text: webhookText(endpoint.name, text),
        senderUserId: endpoint.userId,
      },
    ]);
    wake([lane]);
  };
}
