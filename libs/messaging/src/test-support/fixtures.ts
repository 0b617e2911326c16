import { uniqueName } from '@daycare/testing';
import type { MessagingLogger } from '../shared/logger';
import type { MessageDraft } from '../outbox/rows/message-draft';
import { defineSystemStream, type SystemStream } from '../nats/system-stream';

export const testSource = 'social-graph';

/** Short waits, for quick tests. */
export const quickTiming = { pollMs: 40, republishAfterMs: 250, maxRepublishAfterMs: 500 } as const;

export function testStream(): SystemStream {
  return defineSystemStream({ prefix: uniqueName('messaging'), duplicateWindowMs: 100 });
}

export function draft(lane: string, text = 'hello', id = uniqueName('m')): MessageDraft {
  return {
    id,
    lane,
    text,
    origin: 'friend:swiftfox42',
    senderUserId: 'alice',
    recipient: { userId: 'bob', target: { $case: 'foreground', value: {} } },
  };
}

/** Collects what is logged, which must never contain the text of a message. */
export class TestLog implements MessagingLogger {
  readonly lines: { readonly fields: object; readonly message: string }[] = [];
  readonly info = (fields: object, message: string): void =>
    void this.lines.push({ fields, message });
  readonly warn = this.info;
  readonly error = this.info;

  messages(): string[] {
    return this.lines.map(({ message }) => message);
  }
}
