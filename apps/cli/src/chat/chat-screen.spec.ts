import { beforeEach, describe, expect, it } from '@jest/globals';
import type { HistoryRecord } from '@daycare/contracts/agent-runtime';
import { ansiColours, noColours } from '../terminal/colours';
import { ChatScreen, type ChatStyle } from './chat-screen';

type Case = NonNullable<HistoryRecord['record']>;
type Fields<C extends Case['$case']> = Partial<Extract<Case, { $case: C }>['value']>;

const record = <C extends Case['$case']>($case: C, value: Fields<C>): HistoryRecord =>
  ({ sequence: 1, recordedAt: undefined, record: { $case, value } }) as unknown as HistoryRecord;
const answer = (text: string, toolCalls: object[] = []) =>
  record('assistantMessage', { text, toolCalls: toolCalls as never });
const heard = (text: string, origin = '', silent = false) =>
  record('userMessage', { text, origin, silent, files: [] });

const terminal: ChatStyle = { colours: noColours, columns: 20, rows: 5, isLive: true };
let style: ChatStyle;
let screen: ChatScreen;
beforeEach(() => {
  style = terminal;
  screen = new ChatScreen(() => style);
});

describe('an answer on the screen', () => {
  it('appears as it is written and is completed by its record, nothing twice', () => {
    const shown = [
      screen.showDelta({ text: 'Hel', attempt: 1 }),
      screen.showDelta({ text: 'lo', attempt: 1 }),
      screen.showRecord(answer('Hello, Ada')),
    ];
    expect(shown).toEqual(['Hel', 'lo', ', Ada\n']);
    expect(screen.isWriting).toBe(false);
  });

  it('is taken back and shown whole when its beginning was missed', () => {
    screen.showDelta({ text: 'second half\nof it all', attempt: 1 });
    expect(screen.showRecord(answer('First and second half'))).toBe(
      '\u001b[1A\r\u001b[JFirst and second half\n',
    );
  });

  it('begins anew when the model is asked again', () => {
    screen.showDelta({ text: 'Dra', attempt: 1 });
    expect(screen.showDelta({ text: 'Final', attempt: 2 })).toBe('\r\u001b[JFinal');
    expect(screen.showRecord(answer('Final'))).toBe('\n');
  });

  it.each([
    ['has scrolled away', 'x'.repeat(200)],
    ['has characters of an unknown width', '漢字'],
  ])('is said to begin anew when what is there %s', (_, text) => {
    screen.showDelta({ text, attempt: 1 });
    expect(screen.showRecord(answer('Whole'))).toMatch(/^\n… once more.*\nWhole\n$/);
  });

  it('that ends in a note or a reset is taken back', () => {
    screen.showDelta({ text: 'half', attempt: 1 });
    const note = record('note', { text: 'The model failed' });
    expect(screen.showRecord(note)).toBe('\r\u001b[Jnote: The model failed\n');
    expect(screen.isWriting).toBe(false);
  });

  it('is not shown before it is whole where nothing can be taken back', () => {
    style = { ...terminal, columns: Infinity, rows: Infinity, isLive: false };
    expect(screen.showDelta({ text: 'Hel', attempt: 1 })).toBe('');
    expect(screen.showRecord(answer('Hello'))).toBe('Hello\n');
  });
});

describe('what else happens to an agent', () => {
  it('is a line for each tool, cut to the width', () => {
    const calls = [
      { id: '1', name: 'topology', argumentsJson: '{}' },
      { id: '2', name: 'friend_add', argumentsJson: '{"nametag":"otter7"}' },
    ];
    expect(screen.showRecord(answer('', calls))).toBe('→ topology {}\n→ friend_add {"name…\n');
  });

  it('is a line for a tool that failed, and nothing for one that did not', () => {
    style = { ...terminal, columns: 80 };
    const result = { toolName: 'exec', resultJson: '{"error":{"message":"No room"}}' };
    expect(screen.showRecord(record('toolResult', { ...result, isError: true }))).toBe(
      '  exec failed: No room\n',
    );
    expect(screen.showRecord(record('toolResult', { ...result, isError: false }))).toBe('');
  });

  it('is shown with where it comes from, dimmed, unless it was typed here', () => {
    style = { ...terminal, colours: ansiColours };
    expect(screen.showRecord(heard('Hi', 'friend:otter7'))).toBe(
      '\u001b[2mfriend:otter7: Hi\u001b[22m\n',
    );
    expect(screen.showRecord(heard('Hm', 'system', true))).toContain('system (silent): Hm');
    expect(screen.showRecord(heard('Hi', ''), true)).toBe('');
    expect(screen.showRecord(heard('Hi', ''))).toContain('you, elsewhere: Hi');
  });

  it('says that the context is forgotten, and why', () => {
    expect(screen.showRecord(record('reset', { message: '', emergency: false }))).toBe(
      'The agent has forgotten its context.\n',
    );
    expect(screen.showRecord(record('reset', { message: '', emergency: true }))).toContain('limit');
  });

  it('can do nothing to the terminal', () => {
    const shown = [
      screen.showDelta({ text: '\u001b[2J', attempt: 1 }),
      screen.showRecord(answer('\u001b[2J\u0007')),
      screen.showRecord(heard('\u001b]0;x\u0007', 'friend:x1')),
    ];
    expect(shown.join('')).not.toMatch(/[\u001b\u0007]/);
  });
});
