import { turnFields, type OutboxStore } from '@daycare/messaging';
import { messageIdOf } from '@daycare/api';
import type { Endpoint } from '../../domain/endpoints/endpoint';
import { webhookText } from '../../domain/endpoints/webhook';

export interface WebhookDelivery {
  readonly endpoint: Pick<Endpoint, 'id' | 'userId' | 'name'>;
  readonly agentId: string;
  /**
   * The same for every attempt at this delivery: the sender's id, or a digest of the body if it is signed. Undefined if
   * retries cannot be recognised.
   */
  readonly deliveryId: string | undefined;
  readonly text: string;
}

export interface AcceptWebhookDeps {
  readonly outbox: OutboxStore;
  readonly newId: () => string;
}

/**
 * Puts a webhook post into the outbox for the agent. A repeated delivery id creates no second message for
 * as long as the outbox or the inbox remembers the first.
 */
export function makeAcceptWebhook({ outbox, newId }: AcceptWebhookDeps) {
  return async ({ endpoint, agentId, deliveryId, text }: WebhookDelivery): Promise<void> => {
    const lane = `webhook:${endpoint.id}`;
    const id = deliveryId === undefined ? newId() : messageIdOf('webhook', endpoint.id, deliveryId);
    await outbox.append([
      {
        id,
        lane,
        // The recipient treats the text as data from outside: no agent sent it, and its origin is a webhook.
        origin: lane,
        ...turnFields({ trust: 'outside' }),
        recipient: { userId: endpoint.userId, target: { $case: 'agentId', value: agentId } },
        text: webhookText(endpoint.name, text),
        senderUserId: endpoint.userId,
      },
    ]);
  };
}
