import { estimateTokens, type ContextMessage } from '../../agents';
import {
  readCommands,
  toPlainMessage,
  readStandingCommands,
  type Command,
} from '../domain/local-commands';
import type { ModelAnswer, ModelProvider } from './model-provider';

type UserMessage = Extract<ContextMessage, { role: 'user' }>;

const chunkLength = 64;
const maxResultCharacters = 1_000;

/**
 * A provider that needs no key and no network. It echoes messages; for `/<tool> {json}`, from a person
 * or a trusted sender, it calls the tool and reports the result. For any other system message, it calls
 * the tools named by such lines in the agent's instructions, so that even a gateway that uses this provider
 * can answer. Its answers are deterministic.
 */
export const localProvider: ModelProvider = {
  name: 'local',
  async answer({ context, systemPrompt, onDelta }) {
    const last = context.at(-1);
    const commands = last?.role === 'user' ? commandsFor(last, systemPrompt) : [];
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

function commandsFor(message: UserMessage, systemPrompt: string): readonly Command[] {
  const commands = mayCallTools(message) ? readCommands(message.text) : [];
  if (commands.length > 0 || !isSystemMessage(message)) return commands;
  return readStandingCommands(systemPrompt);
}

/**
 * Reports whether the sender may call tools: the person, whose messages are not wrapped in a tag, or another sender
 * whose messages count as the user's own words, such as the user's other agents and schedules or the owner's agents.
 */
function mayCallTools(message: UserMessage): boolean {
  return message.trusted === true || !isSystemMessage(message);
}

function isSystemMessage({ text }: UserMessage): boolean {
  return text.startsWith('<system_message ');
}

function reply(context: readonly ContextMessage[]): string {
  const results = trailingResults(context);
  if (results.length === 0) return echo(lastUserText(context));
  return results
    .map(({ toolName, resultJson }) => `${toolName}: ${resultJson.slice(0, maxResultCharacters)}`)
    .join('\n');
}

/** Repeats a message with its sender's name; a person is addressed as `You`. */
function echo(rendered: string): string {
  const { from, text } = toPlainMessage(rendered);
  return from === '' ? `You said: ${text}` : `${from} said: ${text}`;
}

function trailingResults(context: readonly ContextMessage[]) {
  const from = context.findLastIndex(({ role }) => role !== 'tool') + 1;
  return context.slice(from).flatMap((message) => (message.role === 'tool' ? [message] : []));
}

function lastUserText(context: readonly ContextMessage[]): string {
  const last = context.findLast(({ role }) => role === 'user');
  return last?.role === 'user' ? last.text : '';
}

function usageOf(context: readonly ContextMessage[], text: string): ModelAnswer['usage'] {
  return {
    inputTokens: estimateTokens(lastUserText(context)),
    outputTokens: estimateTokens(text),
    cachedInputTokens: 0,
  };
}
