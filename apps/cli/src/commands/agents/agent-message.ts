import { safeText } from '../../output/safe-text';
import { textView } from '../../output/view';
import { readText } from '../../terminal/read-input';
import { defineCommand } from '../kit/command';
import { agentOption, requiredAgentArgument, type ForAgent } from '../kit/options';

const hints = { NOT_FOUND: 'Run "daycare agent list" to see your agents.' };

interface SentMessage {
  readonly messageId: string;
  readonly agentId: string;
}

export const messageCommand = defineCommand<{ as?: string }>({
  name: 'message',
  description:
    "send a message from one of your agents to another, or to a subuser's gateway agent; the reply goes to the sending agent",
  args: [requiredAgentArgument, ['<text>', 'the message; - reads it from standard input']],
  options: [
    [
      '--as <agent>',
      'sending agent (default: the one you last talked to, preferring active ones)',
      agentOption[2],
    ],
  ],
  examples: [
    'agent message cook "What can I make with leeks?"',
    'agent message Librarian - < note',
  ],
  hints,
  async run({ session, args: [agentId = '', text = ''], options }) {
    const opened = await session();
    const request = { agentId, text: await readText(text) };
    const sender = await opened.agentId(options.as);
    const sent = await opened.callTool<SentMessage>(sender, 'send_agent_message', request);
    const confirmation =
      'Sent. The reply will go to the agent that sent the message; see "daycare chat".';
    return textView(confirmation, sent);
  },
});

export const startCommand = defineCommand<ForAgent & { name?: string }>({
  name: 'start',
  description: 'start a background agent that works on a prompt and reports to its parent',
  args: [['<prompt>', 'what the agent should do; - reads it from standard input']],
  options: [
    ['--name <name>', 'name of the new agent, up to 100 characters'],
    [
      '--agent <agent>',
      "parent agent, which receives the new agent's reports (default: the one you last talked to, preferring active ones)",
      agentOption[2],
    ],
  ],
  examples: ['agent start "Find three flights to Vienna" --name flights'],
  hints,
  async run({ session, args: [prompt = ''], options: { name = '', agent } }) {
    const opened = await session();
    const response = await opened.runtime.startBackgroundAgent({
      requestId: opened.requestIds.next(),
      prompt: await readText(prompt),
      name,
      parentAgentId: await opened.agentId(agent),
    });
    return textView(safeText(`Started agent ${response.agentId}.`), response);
  },
});
