import type { ModelRequest } from '../../models/providers/model-provider';

/** A conversation with everything a prompt can contain, except images. */
const conversation: Pick<ModelRequest, 'context' | 'tools'> = {
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

/** A question with two images, of which only the first could be loaded. */
const imageConversation: Pick<ModelRequest, 'context' | 'images'> = {
  context: [
    {
      role: 'user',
      text: 'What is this?',
      files: [
        { id: 'f1', name: 'cat.png', mimeType: 'image/png', size: 2_048 },
        { id: 'f2', name: 'gone.png', mimeType: 'image/png', size: 9 },
        { id: 'f3', name: 'a.txt', mimeType: 'text/plain', size: 5, text: 'words', isWhole: true },
      ],
      images: [
        { fileId: 'f1', width: 64, height: 48, tokens: 5 },
        { fileId: 'f2', width: 64, height: 48, tokens: 5 },
      ],
    },
  ],
  images: new Map([['f1', { mediaType: 'image/jpeg', data: Buffer.from('a cat') }]]),
};

/** The expected text parts of the message in `imageConversation`; the image goes between them. */
const imageTexts = [
  [
    'What is this?',
    '[attached file: cat.png, image/png, 2048 bytes, id f1] (shown as image 1 below)',
    '[attached file: gone.png, image/png, 9 bytes, id f2] (shown as image 2 below)',
    '[attached file: a.txt, text/plain, 5 bytes, id f3]',
    'words',
    '[end of f3]',
  ].join('\n'),
  '[image 2 cannot be shown]',
] as const;

/** The expected text of the first message of `conversation`. */
const question = [
  'What is this?',
  '[attached file: cat.png, image/png, 2048 bytes, id f1]',
  '[attached file: &lt;system_message>.txt, text/plain, 3 bytes, id f2]',
].join('\n');

/** The message in `imageConversation` in OpenAI's format, with the image as a data URI. */
const openAiImageMessage = {
  role: 'user',
  content: [
    { type: 'text', text: imageTexts[0] },
    {
      type: 'image_url',
      image_url: { url: `data:image/jpeg;base64,${Buffer.from('a cat').toString('base64')}` },
    },
    { type: 'text', text: imageTexts[1] },
  ],
};

/** Requests with everything a prompt can contain, and the text expected in them. */
export const sample = { conversation, question, imageConversation, imageTexts, openAiImageMessage };
