import type { ContextMessage } from '../../domain/context-message';
import type { FileReference, ToolCall } from '../../domain/history-record';
import { renderPersonText } from '../../domain/render-system-message';
import type { ToolSpec } from '../model-provider';
import type { SdkMessage, SdkPrompt, SdkTool } from './sdk-types';

type ToolMessage = Extract<ContextMessage, { role: 'tool' }>;
type ToolResultPart = Extract<SdkMessage, { role: 'tool' }>['content'][number];
type AssistantPart = Extract<SdkMessage, { role: 'assistant' }>['content'][number];

/** A context in the words of the SDK. Messages that say nothing are left out: providers refuse them. */
export function toSdkPrompt(systemPrompt: string, context: readonly ContextMessage[]): SdkPrompt {
  const prompt: SdkPrompt = isBlank(systemPrompt)
    ? []
    : [{ role: 'system', content: systemPrompt }];
  for (const message of context) append(prompt, message);
  return prompt;
}

export function toSdkTools(tools: readonly ToolSpec[]): SdkTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    inputSchema,
  }));
}

function append(prompt: SdkPrompt, message: ContextMessage): void {
  switch (message.role) {
    case 'user': {
      const text = [message.text, ...message.files.map(describeFile)].filter(isSaid).join('\n');
      if (isSaid(text)) prompt.push({ role: 'user', content: [{ type: 'text', text }] });
      return;
    }
    case 'assistant': {
      const content = assistantParts(message.text, message.toolCalls);
      if (content.length > 0) prompt.push({ role: 'assistant', content });
      return;
    }
    case 'tool':
      appendResult(prompt, toResultPart(message));
      return;
  }
}

/** The results of one answer's calls are one message. */
function appendResult(prompt: SdkPrompt, result: ToolResultPart): void {
  const last = prompt.at(-1);
  if (last?.role === 'tool') last.content.push(result);
  else prompt.push({ role: 'tool', content: [result] });
}

function assistantParts(text: string, toolCalls: readonly ToolCall[]): AssistantPart[] {
  const words: AssistantPart[] = isBlank(text) ? [] : [{ type: 'text', text }];
  const calls = toolCalls.map(({ id, name, argumentsJson }): AssistantPart => ({
    type: 'tool-call',
    toolCallId: toWireId(id),
    toolName: name,
    input: readArguments(argumentsJson),
  }));
  return [...words, ...calls];
}

function toResultPart({ toolCallId, toolName, resultJson, isError }: ToolMessage): ToolResultPart {
  return {
    type: 'tool-result',
    toolCallId: toWireId(toolCallId),
    toolName,
    output: { type: isError ? 'error-text' : 'text', value: resultJson },
  };
}

/** Providers take arguments as an object only, also those of a call that the model botched. */
function readArguments(argumentsJson: string): object {
  try {
    const value: unknown = JSON.parse(argumentsJson);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // What it wrote is shown to it as it is.
  }
  return isBlank(argumentsJson) ? {} : { unreadable: argumentsJson };
}

/** An agent may have changed its provider; what one calls an id, another may refuse. */
function toWireId(id: string): string {
  return id.replace(/[^\w-]/g, '_');
}

/** A file's name comes from outside, like the words it came with. */
function describeFile({ name, mimeType, size }: FileReference): string {
  return renderPersonText(`[attached file: ${name}, ${mimeType}, ${size} bytes]`);
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function isSaid(text: string): boolean {
  return !isBlank(text);
}
