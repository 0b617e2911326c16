import { renderFiles, type ContextMessage, type ToolCall } from '../../agents';
import type { LoadedImage, ToolSpec } from './model-provider';
import type { SdkMessage, SdkPrompt, SdkTool } from './sdk-types';

type ToolMessage = Extract<ContextMessage, { role: 'tool' }>;
type ToolResultPart = Extract<SdkMessage, { role: 'tool' }>['content'][number];
type UserMessage = Extract<ContextMessage, { role: 'user' }>;
type UserPart = Extract<SdkMessage, { role: 'user' }>['content'][number];
type Images = ReadonlyMap<string, LoadedImage>;
type AssistantPart = Extract<SdkMessage, { role: 'assistant' }>['content'][number];

/** Converts a context for the SDK. Omits blank messages, which providers reject. */
export function toSdkPrompt(
  systemPrompt: string,
  context: readonly ContextMessage[],
  images: Images = new Map(),
): SdkPrompt {
  const prompt: SdkPrompt = isBlank(systemPrompt)
    ? []
    : [{ role: 'system', content: systemPrompt }];
  for (const message of context) append(prompt, message, images);
  return prompt;
}

/** Makes the last message of a prompt, for facts that change with every request and so are not worth caching. */
export function toSituation(text: string): SdkPrompt {
  return isBlank(text) ? [] : [{ role: 'user', content: [{ type: 'text', text }] }];
}

export function toSdkTools(tools: readonly ToolSpec[]): SdkTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    inputSchema,
  }));
}

function append(prompt: SdkPrompt, message: ContextMessage, images: Images): void {
  switch (message.role) {
    case 'user': {
      const content = userParts(message, images);
      if (content.length > 0) prompt.push({ role: 'user', content });
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

/** Returns the text, with a line for each file, followed by the images. */
function userParts(message: UserMessage, images: Images): UserPart[] {
  const text = [message.text, ...renderFiles(message)].filter(isNotBlank).join('\n');
  const imageParts = (message.images ?? []).map(({ fileId }, at): UserPart => {
    const image = images.get(fileId);
    if (!image) return { type: 'text', text: `[image ${at + 1} cannot be shown]` };
    return { type: 'file', mediaType: image.mediaType, data: toBase64(image.data) };
  });
  return [...(isBlank(text) ? [] : [{ type: 'text', text } as const]), ...imageParts];
}

/** Much faster than the SDK's own conversion, which turns each byte into a character first. */
function toBase64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

/** Adds a result to the prompt; the results of all calls in an answer form one message. */
function appendResult(prompt: SdkPrompt, result: ToolResultPart): void {
  const last = prompt.at(-1);
  if (last?.role === 'tool') last.content.push(result);
  else prompt.push({ role: 'tool', content: [result] });
}

function assistantParts(text: string, toolCalls: readonly ToolCall[]): AssistantPart[] {
  const texts: AssistantPart[] = isBlank(text) ? [] : [{ type: 'text', text }];
  const calls = toolCalls.map(({ id, name, argumentsJson }): AssistantPart => ({
    type: 'tool-call',
    toolCallId: toWireId(id),
    toolName: name,
    input: readArguments(argumentsJson),
  }));
  return [...texts, ...calls];
}

function toResultPart({ toolCallId, toolName, resultJson, isError }: ToolMessage): ToolResultPart {
  return {
    type: 'tool-result',
    toolCallId: toWireId(toolCallId),
    toolName,
    output: { type: isError ? 'error-text' : 'text', value: resultJson },
  };
}

/** Providers accept only objects as the arguments of earlier calls, even if the model wrote malformed ones. */
function readArguments(argumentsJson: string): object {
  try {
    const value: unknown = JSON.parse(argumentsJson);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // The next line shows the model its malformed arguments.
  }
  return isBlank(argumentsJson) ? {} : { unreadable: argumentsJson };
}

/** The id may have been assigned by another provider and contain characters that this provider rejects. */
function toWireId(id: string): string {
  return id.replace(/[^\w-]/g, '_');
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function isNotBlank(text: string): boolean {
  return !isBlank(text);
}
