import {
  ToolProgressState,
  type HistoryRecord as RecordMessage,
  type WatchAgentResponse,
} from '@daycare/contracts/agent-runtime';
import { enumOf } from '@daycare/contracts/enum-words';
import type { FileReference, HistoryRecord } from '../domain/context/history-record';
import type { WatchEvent } from '../usecases/watch-agent';
import type { AgentProgress } from '../usecases/watched-agents';

export function toRecordMessage(record: HistoryRecord): RecordMessage {
  const { sequence, recordedAt } = record;
  return { sequence, recordedAt, record: toRecord(record) };
}

export function toWatchResponse(event: WatchEvent): WatchAgentResponse {
  if (event.kind === 'record')
    return { event: { $case: 'record', value: toRecordMessage(event.record) } };
  return { event: toProgress(event) };
}

/** Returns a file reference without the fields that only models receive. */
function toFileMessage({ id, name, mimeType, size }: FileReference): FileReference {
  return { id, name, mimeType, size };
}

/** Converts what an agent is currently doing. */
export function toProgress(progress: AgentProgress) {
  if (progress.kind === 'delta') {
    const { text, attempt, position } = progress;
    return { $case: 'delta', value: { text, attempt, position } } as const;
  }
  const { toolCallId, toolName, argumentsJson, state } = progress;
  const value = { toolCallId, toolName, argumentsJson, state: enumOf(ToolProgressState, state) };
  return { $case: 'toolProgress', value } as const;
}

function toRecord(record: HistoryRecord): NonNullable<RecordMessage['record']> {
  switch (record.kind) {
    case 'start':
      return { $case: 'start', value: {} };
    case 'reset': {
      const { message, emergency } = record;
      return { $case: 'reset', value: { message, emergency } };
    }
    case 'compaction': {
      const { summary, keptFrom, kept = 0 } = record;
      return { $case: 'compaction', value: { summary, keptFrom, keptMessage: kept } };
    }
    case 'user_message': {
      const { text, files, messageIds, origin, silent } = record;
      const { originName = '', forPerson = false } = record;
      const sent = { text, messageIds: [...messageIds], origin, originName, silent, forPerson };
      const value = { ...sent, files: files.map(toFileMessage) };
      return { $case: 'userMessage', value };
    }
    case 'assistant_message': {
      const { text, toolCalls, usage, provider, model, replyTarget, files = [] } = record;
      const sent = { text, toolCalls: [...toolCalls], usage, provider, model, replyTarget };
      const value = { ...sent, files: files.map(toFileMessage) };
      return { $case: 'assistantMessage', value };
    }
    case 'tool_result': {
      const { toolCallId, toolName, resultJson, isError, truncated } = record;
      return {
        $case: 'toolResult',
        value: { toolCallId, toolName, resultJson, isError, truncated },
      };
    }
    case 'note':
      return { $case: 'note', value: { text: record.text, endsWork: record.endsWork ?? false } };
  }
}
