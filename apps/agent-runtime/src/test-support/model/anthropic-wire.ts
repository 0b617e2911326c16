import { makeAnthropicProvider } from '../../models/providers/vendors/anthropic-provider';
import { defaultUsage, type WireAnswer, type WireCall, type WireUsage } from '@daycare/testing';
import type { ModelWire } from './model-wire';

const apiKey = 'sk-ant-test-0123456789';

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

/** Anthropic's Messages API. */
export const anthropicWire: ModelWire = {
  name: 'anthropic',
  apiKey,
  makeProvider: (baseUrl, limits) =>
    makeAnthropicProvider({
      apiKey,
      baseUrl,
      ...(limits ? { limits } : {}),
    }),
  events,
  overloaded: event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
  declined: 'refusal',
  truncated: 'max_tokens',
  error: (status, text, headers = {}) => ({
    status,
    headers: { 'content-type': 'application/json', 'request-id': 'req_test', ...headers },
    steps: [JSON.stringify({ type: 'error', error: { type: errorTypes[status], message: text } })],
  }),
};

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

function events({
  thinking = [],
  text = [],
  calls = [],
  stop,
  usage = defaultUsage,
}: WireAnswer): string[] {
  const thoughts = thinking.length > 0 ? [thinkingBlock(thinking)] : [];
  const blocks = [
    ...thoughts,
    ...(text.length > 0 ? [textBlock(text)] : []),
    ...calls.map(callBlock),
  ];
  return [
    messageStart(usage),
    event('ping', {}),
    ...blocks.flatMap((block, index) => block(index)),
    event('message_delta', {
      delta: {
        stop_reason: stop ?? (calls.length > 0 ? 'tool_use' : 'end_turn'),
        stop_sequence: null,
      },
      usage: { ...inputUsage(usage), output_tokens: usage.output },
    }),
    event('message_stop', {}),
  ];
}

/** Anthropic's `input_tokens` exclude tokens read from or written to its cache. */
function inputUsage({ input, cached, created = 0 }: WireUsage) {
  return {
    input_tokens: input - cached - created,
    cache_creation_input_tokens: created,
    cache_read_input_tokens: cached,
  };
}

function messageStart(usage: WireUsage): string {
  return event('message_start', {
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-test',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...inputUsage(usage), output_tokens: 1, service_tier: 'standard' },
    },
  });
}

function thinkingBlock(pieces: readonly string[]) {
  return (index: number): string[] => [
    event('content_block_start', {
      index,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    }),
    ...pieces.map((thinking) =>
      event('content_block_delta', { index, delta: { type: 'thinking_delta', thinking } }),
    ),
    event('content_block_delta', { index, delta: { type: 'signature_delta', signature: 'c2ln' } }),
    event('content_block_stop', { index }),
  ];
}

function textBlock(pieces: readonly string[]) {
  return (index: number): string[] => [
    event('content_block_start', { index, content_block: { type: 'text', text: '' } }),
    ...pieces.map((text) =>
      event('content_block_delta', { index, delta: { type: 'text_delta', text } }),
    ),
    event('content_block_stop', { index }),
  ];
}

function callBlock({ id, name, fragments }: WireCall) {
  return (index: number): string[] => [
    event('content_block_start', {
      index,
      content_block: { type: 'tool_use', id, name, input: {} },
    }),
    ...['', ...fragments].map((partial_json) =>
      event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json } }),
    ),
    event('content_block_stop', { index }),
  ];
}
