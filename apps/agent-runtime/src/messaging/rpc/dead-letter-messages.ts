import {
  InboxItemKind,
  type DeadLetter as DeadLetterMessage,
} from '@daycare/contracts/agent-runtime';
import { enumOf } from '@daycare/contracts/enum-words';
import type { DeadLetter } from '../domain/dead-letter';

export function toDeadLetterMessage({ kind, ...letter }: DeadLetter): DeadLetterMessage {
  const { id, userId, agentId, messageId, origin, text, reason, attempts } = letter;
  const { acceptedAt, deadAt } = letter;
  const facts = { id, userId, agentId, messageId, origin, text, reason, attempts };
  return { ...facts, kind: enumOf(InboxItemKind, kind), acceptedAt, deadAt };
}
