import { SystemMessage } from '@daycare/contracts/common';
import { uniqueName } from '@daycare/testing';
import { ensureSystemStream } from '../nats/ensure-stream';
import type { NatsLink } from '../nats/nats-link';
import { groupOf, subjectOf, type SystemStream } from '../nats/system-stream';
import { encodeBundle } from '../outbox/queue/bundles';
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
  return encodeBundle({ messages });
}

/** Publishes a bundle with exactly these messages. */
export async function publishBundle(
  connection: NatsLink,
  stream: SystemStream,
  drafts: readonly MessageDraft[],
): Promise<void> {
  const group = groupOf({});
  const subject = subjectOf(stream, { group, source: testSource, id: uniqueName('bundle') });
  await ensureSystemStream(connection, stream, group);
  await connection.jetstream().publish(subject, bundleOf(drafts));
}
