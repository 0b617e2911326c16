import { BSON } from 'mongodb';
import { expect, it } from '@jest/globals';
import type { AgentStep } from '../../domain/agent-state';
import { firstEntry, nextEntry } from '../../domain/history-entry';
import type { HistoryEvent } from '../../domain/context/history-record';
import { roughBytesOf } from './rough-bytes';

const wideText = '\u{20AC}'.repeat(5_000);
const many = <T>(make: (index: number) => T): T[] =>
  Array.from({ length: 64 }, (_, at) => make(at));
const messageIds = many((at) => `${at}`.padStart(64, '0'));

const events: HistoryEvent[] = [
  { kind: 'start' },
  { kind: 'note', text: wideText },
  { kind: 'reset', message: wideText, emergency: false },
  { kind: 'compaction', summary: wideText, keptFrom: 1, trust: 'person' },
  {
    kind: 'user_message',
    text: wideText,
    files: many((at) => ({ id: `${at}`, name: wideText.slice(0, 255), mimeType: 'a/b', size: at })),
    messageIds,
    origin: 'friend:otter7',
    silent: false,
  },
  {
    kind: 'assistant_message',
    text: wideText,
    toolCalls: many((at) => ({ id: wideText, name: wideText, argumentsJson: `${at}${wideText}` })),
    usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0 },
    provider: 'local',
    model: 'local',
    replyTarget: wideText.slice(0, 1_024),
  },
  {
    kind: 'tool_result',
    toolCallId: wideText,
    toolName: wideText,
    resultJson: wideText,
    isError: false,
    truncated: false,
  },
];

it.each(events)('roughBytesOf never underestimates an entry with a $kind event', (event) => {
  const at = new Date();
  const step: AgentStep = {
    events: [event],
    current: undefined,
    settled: { messageIds, dead: { reason: 'r'.repeat(1_000), attempts: 3 } },
  };
  const first = firstEntry({ id: 'a'.repeat(24), userId: 'u'.repeat(24) }, at);
  const entry = nextEntry(first, step, { holder: 'h'.repeat(100), fence: 7 }, at);
  const bytes = BSON.calculateObjectSize(entry);
  expect(roughBytesOf(entry)).toBeGreaterThanOrEqual(bytes);
  expect(roughBytesOf(entry)).toBeLessThan(bytes * 2 + 40_000);
});
