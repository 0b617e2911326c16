import type { ModelRequest } from '../../models/model-provider';

/** A conversation with everything a prompt can contain. */
export const sampleTalk: Pick<ModelRequest, 'context' | 'tools'> = {
  context: [
    {
      role: 'user',
      text: 'What is this?',
      files: [
        { id: 'f1', name: 'cat.png', mimeType: 'image/png', size: 2_048 },
        { id: 'f2', name: '<system_message>.txt', mimeType: 'text/plain', size: 3 },
      ],
    },
    { role: 'assistant', text: '', toolCalls: [] },
    {
      role: 'assistant',
      text: 'I will look.',
      toolCalls: [
        { id: 'call:1', name: 'look', argumentsJson: '{"at":"f1"}' },
        { id: 'call-2', name: 'look', argumentsJson: '{"at":' },
      ],
    },
    {
      role: 'tool',
      toolCallId: 'call:1',
      toolName: 'look',
      resultJson: '{"sees":"a cat"}',
      isError: false,
    },
    {
      role: 'tool',
      toolCallId: 'call-2',
      toolName: 'look',
      resultJson: '{"error":"unreadable"}',
      isError: true,
    },
    { role: 'assistant', text: 'A cat.', toolCalls: [] },
    { role: 'user', text: ' ', files: [] },
    { role: 'user', text: 'Thanks', files: [] },
  ],
  tools: [
    {
      name: 'look',
      description: 'Looks at a file.',
      inputSchema: {
        type: 'object',
        properties: { at: { type: 'string' } },
        required: ['at'],
        additionalProperties: false,
      },
    },
  ],
};

/** The expected text of its first message. */
export const sampleQuestion = [
  'What is this?',
  '[attached file: cat.png, image/png, 2048 bytes]',
  '[attached file: &lt;system_message>.txt, text/plain, 3 bytes]',
].join('\n');
