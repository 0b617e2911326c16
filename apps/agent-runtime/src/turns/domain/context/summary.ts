import { describeFile, type ContextMessage } from '../../../agents';
import { truncateMiddle, fitContext } from './fit-context';

const maxFacts = 40;
const maxFactCharacters = 300;
const anyHeading = /^(#+) /;
const factsHeading = /^(#+) *facts\b/i;
const listItem = /^\s*[-*•]\s+(.+)$/;

/** Renders the older messages as text for the model that summarises them, truncated to fit. */
export function transcriptOf(older: readonly ContextMessage[], maxTokens: number): string {
  // As JSON, so that no text can pose as a line from another sender. Half of the limit is left for escaping.
  return fitContext(older, Math.floor(maxTokens / 2))
    .map(toLine)
    .join('\n');
}

function toLine(message: ContextMessage): string {
  switch (message.role) {
    case 'user':
      return JSON.stringify({ ...senderOf(message), text: message.text, ...filesOf(message) });
    case 'assistant': {
      const calls = message.toolCalls.map(({ name, argumentsJson }) => `${name} ${argumentsJson}`);
      return JSON.stringify({
        from: 'agent',
        text: message.text,
        ...(calls.length > 0 ? { calls } : {}),
      });
    }
    case 'tool':
      return JSON.stringify({ from: `tool ${message.toolName}`, text: message.resultJson });
  }
}

function filesOf({ files }: Extract<ContextMessage, { role: 'user' }>) {
  return files.length > 0 ? { files: files.map(describeFile) } : {};
}

function senderOf(message: Extract<ContextMessage, { role: 'user' }>): { readonly from: string } {
  if ('summary' in message) return { from: 'earlier summary' };
  return { from: message.text.startsWith('<system_message ') ? 'message' : 'user' };
}

/** Returns the lasting facts listed under a summary's `Facts` heading; at most a few dozen, one line each. */
export function factsIn(summary: string): readonly string[] {
  return linesOfFacts(summary)
    .flatMap((line) => listItem.exec(line)?.[1]?.trim() ?? [])
    .map((fact) => truncateMiddle(fact, maxFactCharacters).replaceAll('\n', ' '))
    .slice(0, maxFacts);
}

/** The section ends at the next heading of its level or above; headings below it are part of it. */
function linesOfFacts(summary: string): readonly string[] {
  const lines: string[] = [];
  let level = 0;
  for (const line of summary.split('\n')) {
    const [, facts] = factsHeading.exec(line) ?? [];
    const [, heading] = anyHeading.exec(line) ?? [];
    if (facts !== undefined) level = facts.length;
    else if (heading !== undefined && heading.length <= level) level = 0;
    else if (level > 0) lines.push(line);
  }
  return lines;
}

/** Returns what replaces the older part when no new summary can be made: the earlier one, if any, with a note. */
export function fallbackSummary(older: readonly ContextMessage[]): string {
  const earlier = older.find((message) => 'summary' in message);
  const summary = earlier?.role === 'user' ? (earlier.summary ?? '') : '';
  return summary.endsWith(leftOutNote) || summary === '' ? summary : `${summary}\n\n${leftOutNote}`;
}

const leftOutNote = '(The conversation that followed this summary was left out.)';
