import { describeFailure } from '../failure/describe-failure';
import { renderHistory } from '../output/history';
import { safeText } from '../output/safe-text';
import type { Colours } from '../terminal/colours';
import { chatCommands, type ChatCommand } from './chat-line';
import type { Conversation } from './conversation';

/** Does what a command of the chat asks for; answers with what there is to show, as whole lines. */
export async function runChatLine(
  asked: ChatCommand,
  conversation: Conversation,
  colours: Colours,
): Promise<string> {
  switch (asked.kind) {
    case 'help':
      return helpText();
    case 'topology':
      return `${safeText(await conversation.topology())}\n`;
    case 'history': {
      const records = await conversation.history(asked.count);
      return records
        .map((record) => `${renderHistory(record, { colours, width: Infinity })}\n`)
        .join('');
    }
    case 'reset':
      // Where it worked, the agent's record of it says so.
      return (await conversation.reset()) ? '' : 'There is no agent yet that could forget.\n';
  }
}

/** What a person is told of a failure that does not end the chat. */
export function failureText(error: unknown, { red }: Colours): string {
  return `${red(describeFailure(error).lines.join('\n'))}\n`;
}

function helpText(): string {
  const width = Math.max(...chatCommands.map(([usage]) => usage.length));
  const lines = chatCommands.map(([usage, text]) => `  ${usage.padEnd(width)}  ${text}\n`);
  const rest = 'Everything else goes to the agent. Ctrl-C cancels a line, Ctrl-D leaves.\n';
  return lines.join('') + rest;
}
