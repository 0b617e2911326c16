import { conversationOf, ModelServer, openAiEvents, type WireAnswer } from '@daycare/testing';

const call = (name: string, args: object) => ({
  id: `call_${name}`,
  name,
  fragments: [JSON.stringify(args)],
});

const note = `Here is a draft:

> **Release on Thursday.** The checks run with \`npm test\`; questions go to the channel.

Shall I shorten it further, or attach it as a file?`;

/** The model's answers to a message with these words: one to the message, and another after each tool result. */
const scripts: readonly (readonly [words: string, answers: readonly WireAnswer[]])[] = [
  [
    'on my list',
    [
      { calls: [call('memory_search', { query: 'list today' })] },
      {
        text: [
          'Three things today:\n\n1. **Release notes**, by noon\n2. Water the roses\n3. Answer Grace about Friday',
        ],
      },
    ],
  ],
  ['note to the team', [{ text: [note] }]],
  [
    'attach it',
    [
      { calls: [call('file_write', { path: 'home/release-note.md', content: note })] },
      { calls: [call('attach_file', { path: 'home/release-note.md' })] },
      { text: ['Attached. I have kept a copy in your files.'] },
    ],
  ],
  ['Lisbon', [{ text: ['Gladly. When would you like to go, and for how long?'] }]],
  ['the news', [{ text: ['I will. You will find the summary here every morning.'] }]],
  ['cake take', [{ text: ['About an hour at 180 °C.'] }]],
];

/**
 * Starts a model server, with the OpenAI API, that gives the example's answers. `friend` returns the nametag of the
 * friend that the agent writes to.
 */
export function startScriptedModel(friend: () => string): Promise<ModelServer> {
  const sendMessage = (): readonly WireAnswer[] => [
    { calls: [call('friend_send', { nametag: friend(), message: 'Shall we move it to one?' })] },
    { text: ['I have the message ready. It goes out once you allow it.'] },
  ];
  return ModelServer.start(({ body }) => {
    const messages = conversationOf(body);
    const last = messages.findLastIndex(({ role }) => role === 'user');
    const lastMessage = JSON.stringify(messages[last] ?? {});
    const toolResults = messages.slice(last).filter(({ role }) => role === 'tool').length;
    const script = lastMessage.includes('move it to one')
      ? sendMessage()
      : scripts.find(([phrase]) => lastMessage.includes(phrase))?.[1];
    const usage = { input: 1_840, output: 96, cached: 1_200 };
    const answer = script?.[toolResults] ?? { text: ['Understood.'] };
    return { steps: openAiEvents({ usage, ...answer }) };
  });
}
