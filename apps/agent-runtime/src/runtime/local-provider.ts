import type { ContextMessage } from '../domain/context-message';
import { estimateTokens } from '../domain/estimate-tokens';
import type { ModelProvider } from './model-provider';

const chunkLength = 64;

/** A provider that needs no key and no network: it answers by repeating what it was last told. */
export const localProvider: ModelProvider = {
  name: 'local',
  model: 'echo',
  async answer({ context, onDelta }) {
    const text = `You said: ${lastWords(context)}`;
    for (let at = 0; at < text.length; at += chunkLength) onDelta(text.slice(at, at + chunkLength));
    const [inputTokens, outputTokens] = [lastWords(context), text].map(estimateTokens);
    const usage = {
      inputTokens: inputTokens ?? 0,
      outputTokens: outputTokens ?? 0,
      cachedInputTokens: 0,
    };
    return { text, toolCalls: [], usage };
  },
};

function lastWords(context: readonly ContextMessage[]): string {
  const last = context.findLast(({ role }) => role === 'user');
  return last?.role === 'user' ? last.text : '';
}
