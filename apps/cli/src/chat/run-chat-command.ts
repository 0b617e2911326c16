import { expandHome } from '../client/files/expand-home';
import { describeFailure } from '../failure/describe-failure';
import { Failure } from '../failure/failure';
import type { Speakers } from '../names/speakers';
import { renderHistory } from '../output/history';
import { safeText } from '../output/safe-text';
import type { Colours } from '../terminal/colours';
import { chatCommands, type ChatCommand } from './input/chat-line';
import type { Conversation } from './conversation';

interface ChatStyle {
  readonly colours: Colours;
  /** If undefined, friends and agents that wrote messages are shown by their stored origin, e.g. `friend:otter7`. */
  readonly speakers?: Speakers;
}

/** Runs a chat command; resolves with its output as complete lines. */
export async function runChatCommand(
  command: ChatCommand,
  conversation: Conversation,
  { colours, speakers }: ChatStyle,
): Promise<string> {
  switch (command.kind) {
    case 'help':
      return helpText();
    case 'topology':
      return `${safeText(await conversation.topology())}\n`;
    case 'history': {
      const records = await conversation.history(command.count);
      await speakers?.prepare(records);
      const style = { colours, width: Infinity };
      return records
        .map((record) => `${renderHistory(record, style, speakers?.nameOf)}\n`)
        .join('');
    }
    case 'attach': {
      const { name, size } = await conversation.attach(expandHome(command.path));
      return `${safeText(`Attached ${name} (${size} bytes); it goes out with your next message.`)}\n`;
    }
    case 'save': {
      const paths = await collectPaths(conversation.save(expandHome(command.folder)));
      if (paths.length === 0) return 'No reply has files yet.\n';
      return paths.map((path) => `${safeText(`Saved ${path}`)}\n`).join('');
    }
    case 'model': {
      const { name, problem } = await conversation.model(command.model);
      return `${safeText(name === '' ? 'There is no agent yet; your first message creates it.' : `Model: ${name}${problem}`)}\n`;
    }
    case 'stop':
      return (await conversation.stop(command.steeringText))
        ? ''
        : 'There is no agent yet; your first message creates it.\n';
    case 'reset':
      // On success, the chat shows the agent's record of the reset.
      return (await conversation.reset())
        ? ''
        : 'There is no agent yet; your first message creates it.\n';
  }
}

/** Describes a failure that does not end the chat. */
export function failureText(error: unknown, { red }: Colours): string {
  return `${red(describeFailure(error).lines.join('\n'))}\n`;
}

function helpText(): string {
  const width = Math.max(...chatCommands.map(([usage]) => usage.length));
  const lines = chatCommands.map(([usage, text]) => `  ${usage.padEnd(width)}  ${text}\n`);
  const rest =
    'Anything else goes to the agent. Ctrl-C clears the line or, if it is empty, stops the agent;\npress it twice, or press Ctrl-D, to quit.\n';
  return lines.join('') + rest;
}

/** Returns all paths. If saving fails, the error names the files that were saved before. */
async function collectPaths(saved: AsyncIterable<string>): Promise<readonly string[]> {
  const paths: string[] = [];
  try {
    for await (const path of saved) paths.push(path);
    return paths;
  } catch (error) {
    if (paths.length === 0) throw error;
    const { lines, exitCode } = describeFailure(error);
    throw new Failure(exitCode, `${lines.join(' ')} Saved before that: ${paths.join(', ')}`);
  }
}
