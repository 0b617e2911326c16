import { beforeEach, describe, expect, it } from '@jest/globals';
import type { HistoryRecord } from '@daycare/contracts/agent-runtime';
import { ansiColours, noColours } from '../../terminal/colours';
import { ChatScreen, type ChatStyle } from './chat-screen';

type Case = NonNullable<HistoryRecord['record']>;
type Fields<C extends Case['$case']> = Partial<Extract<Case, { $case: C }>['value']>;

const record = <C extends Case['$case']>($case: C, value: Fields<C>): HistoryRecord =>
  ({ sequence: 1, recordedAt: undefined, record: { $case, value } }) as unknown as HistoryRecord;
const answer = (text: string, toolCalls: object[] = []) =>
  record('assistantMessage', { text, toolCalls: toolCalls as never, files: [] });
const message = (text: string, origin = '', silent = false) =>
  record('userMessage', { text, origin, silent, files: [], originName: '', forPerson: false });

const terminal: ChatStyle = { colours: noColours, columns: 20, rows: 5, isLive: true };
let style: ChatStyle;
let screen: ChatScreen;
beforeEach(() => {
  style = terminal;
  screen = new ChatScreen(() => style);
});

describe('ChatScreen (replies)', () => {
  it('streams a reply and adds only the missing end when the record of the reply arrives', () => {
    const shown = [
      screen.showDelta({ text: 'Hel', attempt: 1, position: 0 }),
      screen.showDelta({ text: 'lo', attempt: 1, position: 3 }),
      screen.showRecord(answer('Hello, Ada')),
    ];
    expect(shown).toEqual(['Hel', 'lo', ', Ada\n']);
    expect(screen.isWriting).toBe(false);
  });

  it('replaces the streamed text with the recorded reply if the reply does not begin with that text', () => {
    screen.showDelta({ text: 'second half\nof it all', attempt: 1, position: 0 });
    expect(screen.showRecord(answer('First and second half'))).toBe(
      '\u001b[1A\r\u001b[JFirst and second half\n',
    );
  });

  it('shows an ellipsis for a missing part of a streamed reply, and then the whole reply from its record', () => {
    const shown = [
      screen.showDelta({ text: 'Hel', attempt: 1, position: 0 }),
      screen.showDelta({ text: 'Ada', attempt: 1, position: 7 }),
      screen.showRecord(answer('Hello, Ada')),
    ];
    expect(shown).toEqual(['Hel', '…Ada', expect.stringMatching(/Hello, Ada\n$/)]);
  });

  it('shows an ellipsis when the beginning of a reply was missed, even if the previous reply or attempt was longer', () => {
    screen.showDelta({ text: 'A long reply', attempt: 1, position: 0 });
    expect(screen.showDelta({ text: 'late', attempt: 2, position: 5 })).toMatch(/…late$/);
    screen.showRecord(answer('A long reply'));
    expect(screen.showDelta({ text: 'late', attempt: 1, position: 5 })).toBe('…late');
  });

  it('replaces a partial reply when the model is called again', () => {
    screen.showDelta({ text: 'Dra', attempt: 1, position: 0 });
    expect(screen.showDelta({ text: 'Final', attempt: 2, position: 0 })).toBe('\r\u001b[JFinal');
    expect(screen.showRecord(answer('Final'))).toBe('\n');
  });

  it.each([
    ['has scrolled away', 'x'.repeat(200)],
    ['has characters of an unknown width', '漢字'],
  ])('writes the whole reply below the partial text when the partial text %s', (_, text) => {
    screen.showDelta({ text, attempt: 1, position: 0 });
    expect(screen.showRecord(answer('Whole'))).toMatch(/^\n… starting over:\nWhole\n$/);
  });

  it('erases a partial reply when a note arrives instead of the rest of the reply', () => {
    screen.showDelta({ text: 'half', attempt: 1, position: 0 });
    const note = record('note', { text: 'The model failed' });
    expect(screen.showRecord(note)).toBe('\r\u001b[Jnote: The model\nfailed\n');
    expect(screen.isWriting).toBe(false);
  });

  it('shows only complete replies when the output cannot erase text', () => {
    style = { ...terminal, columns: Infinity, rows: Infinity, isLive: false };
    expect(screen.showDelta({ text: 'Hel', attempt: 1, position: 0 })).toBe('');
    expect(screen.showRecord(answer('Hello'))).toBe('Hello\n');
  });
});

describe('ChatScreen (other records)', () => {
  beforeEach(() => {
    style = { ...terminal, columns: 80 };
  });

  it('shows one line per tool call, truncated to the width of the screen', () => {
    const calls = [
      { id: '1', name: 'topology', argumentsJson: '{}' },
      { id: '2', name: 'friend_add', argumentsJson: '{"nametag":"otter7"}' },
    ];
    style = terminal;
    expect(screen.showRecord(answer('', calls))).toBe('→ topology {}\n→ friend_add {"name…\n');
  });

  it('shows one line per file in a reply and escapes control characters in its name', () => {
    const file = { id: 'f1', name: 'a\u001b[2J.txt', mimeType: 'text/plain', size: 12 };
    const reply = record('assistantMessage', { text: 'Here.', toolCalls: [], files: [file] });
    expect(screen.showRecord(reply)).toBe(
      'Here.\n[file a\\u001b[2J.txt, 12 bytes; /save saves it]\n',
    );
  });

  it('shows a line for a failed tool call and nothing for a successful one', () => {
    const result = { toolName: 'exec', resultJson: '{"error":{"message":"No room"}}' };
    expect(screen.showRecord(record('toolResult', { ...result, isError: true }))).toBe(
      '  exec failed: No room\n',
    );
    expect(screen.showRecord(record('toolResult', { ...result, isError: false }))).toBe('');
  });

  it('shows messages from elsewhere dimmed, with their origin', () => {
    style = { ...style, colours: ansiColours };
    expect(screen.showRecord(message('Hi', 'friend:otter7'))).toBe(
      '\u001b[2mfriend:otter7: Hi\u001b[22m\n',
    );
    expect(screen.showRecord(message('Hm', 'system', true))).toContain('system (silent): Hm');
    expect(screen.showRecord(message('Hi', ''), true)).toBe('');
    expect(screen.showRecord(message('Hi', ''))).toContain('you (elsewhere): Hi');
  });

  it('shows a scheduled result like a reply, with the name of its cron or "heartbeat"', () => {
    style = { ...style, colours: ansiColours };
    const result = (origin: string, originName: string) =>
      record('userMessage', {
        text: 'Tea is ready',
        origin,
        originName,
        silent: true,
        forPerson: true,
        files: [],
      });
    expect(screen.showRecord(result('result:cron:c1', 'tea'))).toBe('cron "tea": Tea is ready\n');
    expect(screen.showRecord(result('result:heartbeat', ''))).toBe('heartbeat: Tea is ready\n');
  });

  it('shows the files in a scheduled result like those in a reply', () => {
    const file = { id: 'f1', name: 'plan.txt', mimeType: 'text/plain', size: 5 };
    const result = { text: 'Here.', origin: 'result:cron:c1', originName: 'tea', files: [file] };
    const shown = screen.showRecord(
      record('userMessage', { ...result, silent: true, forPerson: true }),
    );
    expect(shown).toBe('cron "tea": Here.\n[file plan.txt, 5 bytes; /save saves it]\n');
  });

  it("shows a cron's prompt with the name of the cron", () => {
    const prompt = { text: 'Make tea', origin: 'cron:c1', originName: 'tea', files: [] };
    const shown = screen.showRecord(record('userMessage', { ...prompt, forPerson: false }));
    expect(shown).toBe('cron "tea": Make tea\n');
  });

  it('breaks a long message between words', () => {
    style = { ...terminal, columns: 20 };
    expect(screen.showRecord(message('Dinner at eight?', 'friend:otter7'))).toBe(
      'friend:otter7:\nDinner at eight?\n',
    );
  });

  it('reports a cleared context and the reason', () => {
    expect(screen.showRecord(record('reset', { message: '', emergency: false }))).toBe(
      "The agent's context was cleared.\n",
    );
    expect(screen.showRecord(record('reset', { message: '', emergency: true }))).toContain('limit');
  });

  it('reports that the older part of the conversation was summarised or left out', () => {
    const compaction = { summary: 'Ada likes tea.', keptFrom: 7, keptMessage: 0 };
    expect(screen.showRecord(record('compaction', compaction))).toContain('summarised the older');
    expect(screen.showRecord(record('compaction', { ...compaction, summary: '' }))).toContain(
      'left out the oldest',
    );
  });

  it('escapes control characters in text from the agent and from friends', () => {
    const shown = [
      screen.showDelta({ text: '\u001b[2J', attempt: 1, position: 0 }),
      screen.showRecord(answer('\u001b[2J\u0007')),
      screen.showRecord(message('\u001b]0;x\u0007', 'friend:x1')),
    ];
    expect(shown.join('')).not.toMatch(/[\u001b\u0007]/);
  });
});
