import type { HistoryRecord } from '@daycare/contracts/agent-runtime';
import { safeText } from './safe-text';
import { speakerOf, type NameOf } from './speaker';
import type { Style, View } from './view';
import { toTime } from './words';

/** Shows one record of an agent's history. */
export function historyView(record: HistoryRecord, nameOf?: NameOf): View {
  return { data: record, render: (style) => renderHistory(record, style, nameOf) };
}

export function renderHistory(record: HistoryRecord, { colours }: Style, nameOf?: NameOf): string {
  const [who, text] = describe(record, nameOf);
  const head = colours.dim(`${record.sequence} ${toTime(record.recordedAt)}`);
  return `${head} ${colours.bold(`${safeText(who)}:`)} ${safeText(text)}`.trimEnd();
}

function describe({ record }: HistoryRecord, nameOf?: NameOf): [who: string, text: string] {
  switch (record?.$case) {
    case undefined:
      return ['unknown', ''];
    case 'start':
      return ['start', ''];
    case 'reset':
      return [record.value.emergency ? 'emergency reset' : 'reset', record.value.message];
    case 'compaction':
      return ['compaction', record.value.summary];
    case 'userMessage': {
      const { origin, silent, forPerson, text, files } = record.value;
      const names = files.map(({ name, id }) => `[${name} ${id}]`);
      const who = origin === '' ? 'you' : speakerOf(record.value, nameOf);
      const isAside = silent && !forPerson;
      return [`${who}${isAside ? ' (silent)' : ''}`, [text, ...names].join(' ').trim()];
    }
    case 'assistantMessage': {
      const { text, toolCalls, files } = record.value;
      const names = files.map(({ name, id }) => `[${name} ${id}]`);
      const calls = toolCalls.map(({ name, argumentsJson }) => `→ ${name} ${argumentsJson}`);
      return ['agent', [text, ...calls, ...names].filter((line) => line !== '').join('\n')];
    }
    case 'toolResult': {
      const { toolName, isError, resultJson } = record.value;
      return [`${toolName}${isError ? ' failed' : ''}`, resultJson];
    }
    case 'note':
      return ['note', record.value.text];
  }
}
