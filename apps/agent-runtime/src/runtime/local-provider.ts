import type { ContextMessage } from '../domain/context-message';
import { estimateTokens } from '../domain/estimate-tokens';
import { readCommands } from '../domain/local-commands';
import type { ModelAnswer, ModelProvider } from './model-provider';

const chunkLength = 64;
const mostOfAResult = 1_000;

/**
 * A provider that needs no key and no network. It repeats what it was told; told `/<tool> {json}`, by a
 * person or another agent, it runs the tool and says what came of it. The same question always gets the
 * same answer.
 */
export const localProvider: ModelProvider = {
  name: 'local',
  defaultModel: 'echo',
  async answer({ context, onDelta }) {
    const last = context.at(-1);
    const commands = last?.role === 'user' && mayCommand(last) ? readCommands(last.text) : [];
    const toolCalls = commands.map(({ name, argumentsJson }, index) => ({
      id: `call-${index + 1}`,
      name,
      argumentsJson,
    }));
    const text = toolCalls.length > 0 ? '' : reply(context);
    for (let at = 0; at < text.length; at += chunkLength) onDelta(text.slice(at, at + chunkLength));
    return { text, toolCalls, usage: usageOf(context, text) };
  },
};

/** A person, whose words come unwrapped, or an agent of the same user or its owner. */
function mayCommand({ text, trusted }: Extract<ContextMessage, { role: 'user' }>): boolean {
  return trusted === true || !text.startsWith('<system_message ');
}

function reply(context: readonly ContextMessage[]): string {
  const results = resultsAtTheEnd(context);
  if (results.length === 0) return `You said: ${lastWords(context)}`;
  return results
    .map(({ toolName, resultJson }) => `${toolName}: ${resultJson.slice(0, mostOfAResult)}`)
    .join('\n');
}

function resultsAtTheEnd(context: readonly ContextMessage[]) {
  const from = context.findLastIndex(({ role }) => role !== 'tool') + 1;
  return context.slice(from).flatMap((message) => (message.role === 'tool' ? [message] : []));
}

function lastWords(context: readonly ContextMessage[]): string {
  const last = context.findLast(({ role }) => role === 'user');
  return last?.role === 'user' ? last.text : '';
}

function usageOf(context: readonly ContextMessage[], text: string): ModelAnswer['usage'] {
  return {
    inputTokens: estimateTokens(lastWords(context)),
    outputTokens: estimateTokens(text),
    cachedInputTokens: 0,
  };
}
