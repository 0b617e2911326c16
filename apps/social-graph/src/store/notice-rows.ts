import {
  toRow,
  type MessageDraft,
  type OutboxStore,
  type OutgoingMessage,
  type RowTie,
} from '@daycare/messaging';
import type { Closing } from '../domain/tie/notices';
import type { Pair } from '../domain/tie/pair';
import type { Side } from '../domain/tie/tie';
import type { StoredNotice } from './tie-document';

export interface NoticeTiming {
  /** How long a published notice waits for its receipt before the next publication; doubles each time. */
  readonly republishAfterMs: number;
  readonly maxRepublishAfterMs: number;
}

interface StoredNoticeOptions {
  readonly to: Side;
  readonly outbox: Pick<OutboxStore, 'source'> & {
    readonly clock: Pick<OutboxStore['clock'], 'now'>;
  };
  readonly republishAfterMs: number;
}

/**
 * Converts a draft into the notice stored in the tie. The notice is stored as published once, because this process
 * publishes it immediately afterwards.
 */
export function toStoredNotice(
  draft: MessageDraft,
  { to, outbox, republishAfterMs }: StoredNoticeOptions,
): StoredNotice {
  const { payload, recipientService, traceparent, predecessors, acceptedAt, tie } = toRow(
    draft,
    outbox.source,
    outbox.clock.now(),
  );
  return {
    id: draft.id,
    to,
    payload,
    ...(recipientService !== undefined && { service: recipientService }),
    ...(recipientService !== undefined && tie && { closes: toClosing(tie) }),
    ...(traceparent !== undefined && { traceparent }),
    predecessors,
    acceptedAt,
    publications: 1,
    publishedAt: acceptedAt,
    nextAttemptAt: new Date(acceptedAt.getTime() + republishAfterMs),
  };
}

function toClosing({ version, subuserId }: RowTie): Closing {
  return { version, ...(subuserId !== undefined && { subuserId }) };
}

export function toOutgoing(notice: StoredNotice, pair: Pair): OutgoingMessage {
  const { id, to, payload, service, traceparent, predecessors, publications } = notice;
  return {
    id,
    recipientUserId: pair[to].userId,
    ...(service !== undefined && { recipientService: service }),
    payload: payload.buffer,
    ...(traceparent !== undefined && { traceparent }),
    predecessors,
    publications,
  };
}
