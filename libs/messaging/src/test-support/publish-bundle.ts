import { SystemMessage } from '@daycare/contracts/common';
import { uniqueName } from '@daycare/testing';
import { headers, type NatsConnection } from 'nats';
import { ensureSystemStream } from '../nats/ensure-stream';
import { headerNames } from '../nats/message-headers';
import { groupOf, subjectOf, type SystemStream } from '../nats/system-stream';
import { encodeBundle } from '../outbox/bundles';
import type { MessageDraft } from '../outbox/rows/message-draft';
import { testSource } from './fixtures';

/** Encodes drafts as a relay would, each with its own predecessors. */
export function bundleOf(drafts: readonly MessageDraft[]): Uint8Array {
  const messages = drafts.map((draft) => ({
    id: draft.id,
    recipientUserId: draft.recipient.userId,
    payload: SystemMessage.encode(
      SystemMessage.create({ ...draft, source: testSource, acceptedAt: new Date() }),
    ).finish(),
    predecessors: draft.predecessors ?? [],
    publications: 1,
  }));
  return encodeBundle({ group: groupOf({}), messages });
}

/** Publishes a bundle with exactly these messages. */
export async function publishBundle(
  connection: NatsConnection,
  stream: SystemStream,
  drafts: readonly MessageDraft[],
): Promise<void> {
  const sent = headers();
  sent.set(headerNames.source, testSource);
  const subject = subjectOf(stream, groupOf({}), uniqueName('bundle'));
  await ensureSystemStream(connection, stream);
  await connection.jetstream().publish(subject, bundleOf(drafts), { headers: sent });
}
