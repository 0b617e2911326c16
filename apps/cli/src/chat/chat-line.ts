/** What a person wants with a line. */
export type ChatLine =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'quit' }
  | { readonly kind: 'say'; readonly text: string }
  | ChatCommand;

/** A command of the chat itself. */
export type ChatCommand =
  | { readonly kind: 'reset' | 'topology' | 'help' }
  | { readonly kind: 'history'; readonly count: number };

const shownByDefault = 20;

/** The commands of the chat itself, with what they do; everything else goes to the agent. */
export const chatCommands: readonly (readonly [usage: string, description: string])[] = [
  ['/reset', 'have the agent forget its context; its history stays'],
  ['/history [n]', `the last n things it heard and said, ${shownByDefault} unless given`],
  ['/topology', 'all you have and whom you can reach'],
  ['/help', 'this list'],
  ['/quit', 'leave, as Ctrl-D does'],
];

/** Only a line that is exactly a command of the chat is one: models may have commands of their own. */
export function readChatLine(line: string): ChatLine {
  const text = line.trim();
  const [, count = ''] = /^\/history(?:\s+([1-9]\d{0,3}))?$/.exec(text) ?? [];
  switch (text.split(/\s+/).join(' ')) {
    case '':
      return { kind: 'nothing' };
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
      return { kind: 'history', count: Number(count) || shownByDefault };
    default:
      return { kind: 'say', text };
  }
}
