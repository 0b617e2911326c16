/** What a line of input means. */
export type ChatLine =
  | { readonly kind: 'empty' }
  | { readonly kind: 'quit' }
  | { readonly kind: 'message'; readonly text: string }
  | ChatCommand;

/** A command for the chat itself. */
export type ChatCommand =
  | { readonly kind: 'reset' | 'topology' | 'help' }
  | { readonly kind: 'stop'; readonly steeringText: string }
  | { readonly kind: 'model'; readonly model: string }
  | { readonly kind: 'attach'; readonly path: string }
  | { readonly kind: 'save'; readonly folder: string }
  | { readonly kind: 'history'; readonly count: number };

const defaultCount = 20;

/** The chat commands with their descriptions; anything else goes to the agent. */
export const chatCommands: readonly (readonly [usage: string, description: string])[] = [
  ['/stop [text]', 'stop the agent, like Ctrl-C; the text says what to do instead'],
  ['/model [name]', 'show this agent\'s model, or choose another; "default" removes the choice'],
  ['/attach <path>', 'send a file with the next message; you can also drop it on the window'],
  [
    '/save [folder]',
    'save the files from the last reply that has any (default: the current folder)',
  ],
  ['/reset', 'stop the agent and clear its context; its history is kept'],
  ['/history [n]', `show the last n records (default: ${defaultCount})`],
  ['/topology', 'show everything you own and everyone you can reach'],
  ['/help', 'show this list'],
  ['/quit', 'quit the chat, like Ctrl-D'],
];

/** Parses a line. A line that fits none of the usages in `chatCommands`, e.g. `/history all`, is a message. */
export function readChatLine(line: string): ChatLine {
  const text = line.trim();
  const stop = /^\/stop(?:\s+(.+))?$/s.exec(text);
  if (stop) return { kind: 'stop', steeringText: stop[1] ?? '' };
  const model = /^\/model(?:\s+(\S+))?$/.exec(text);
  if (model) return { kind: 'model', model: model[1] ?? '' };
  const attach = /^\/attach\s+(.+)$/s.exec(text);
  if (attach?.[1]) return { kind: 'attach', path: attach[1] };
  const save = /^\/save(?:\s+(.+))?$/s.exec(text);
  if (save) return { kind: 'save', folder: save[1] ?? '.' };
  const [, count = ''] = /^\/history(?:\s+([1-9]\d{0,3}))?$/.exec(text) ?? [];
  switch (text.split(/\s+/).join(' ')) {
    case '':
      return { kind: 'empty' };
    case '/reset':
      return { kind: 'reset' };
    case '/topology':
      return { kind: 'topology' };
    case '/help':
      return { kind: 'help' };
    case '/quit':
      return { kind: 'quit' };
    case '/history':
    case `/history ${count}`:
      return { kind: 'history', count: Number(count) || defaultCount };
    default:
      return { kind: 'message', text };
  }
}
