import { beforeEach, describe, expect, it } from '@jest/globals';
import { Screen } from '../../terminal/screen';
import { UpScreen } from './up-screen';

const exit = { code: null, signal: 'SIGKILL' } as const;
const log = (msg: string): string =>
  JSON.stringify({ level: 'info', time: '2030-01-01T12:03:04.005Z', service: 'identity', msg });

const urlOf = (): string => '';

describe('UpScreen', () => {
  let text: string;
  const open = (options: { isTTY?: boolean; verbose?: boolean; noColour?: boolean } = {}) => {
    const { isTTY = false, verbose = false, noColour = false } = options;
    const output = { isTTY, columns: 100, write: (written: string) => (text += written) };
    return new UpScreen(new Screen(output, { noColour }), { verbose });
  };
  const showReady = (dataDir?: string): void =>
    open().showAddresses(
      {
        mongo: { url: 'mongodb://me:secret@h:1/', version: '8', external: true, urlOf },
        nats: { url: 'nats://h:2', version: '2', external: true, urlOf },
        services: [
          { name: 'identity', grpcAddress: '127.0.0.1:50051', httpAddress: '127.0.0.1:9' },
          { name: 'gateway', grpcAddress: '127.0.0.1:17180', httpAddress: '127.0.0.1:8' },
          {
            name: 'topology',
            grpcAddress: '127.0.0.1:50054',
            httpAddress: '127.0.0.1:7',
            edgeAddress: '127.0.0.1:8090',
          },
        ],
      },
      { tookMs: 2_345, logs: '.daycare/logs', dataDir },
    );
  beforeEach(() => {
    text = '';
  });

  it('lists what has started, with its version and the time it took', () => {
    const screen = open();
    screen.showEvent({ type: 'starting', part: 'mongo' });
    screen.showEvent({ type: 'ready', part: 'mongo', tookMs: 430, version: '8.2.0' });
    screen.showEvent({ type: 'ready', part: 'nats', tookMs: 9, version: '2.14.0', external: true });
    expect(text).toBe(
      '  ✔ MongoDB 8.2.0                  0.4 s\n  ✔ NATS 2.14.0 (already running)  0.0 s\n',
    );
  });

  it('shows a new admin credential and where it is stored', () => {
    open().showNewCredential('s3cret', '.daycare/credentials.json');
    expect(text).toBe(
      'Admin credential (shown only once; stored in .daycare/credentials.json):\n' +
        '  admin:s3cret\n\n',
    );
  });

  it('shows the addresses, commands to try and how to stop', () => {
    showReady();
    expect(text).toContain('Daycare is ready in 2.3 s.');
    expect(text).toContain('  identity       127.0.0.1:50051         http://127.0.0.1:9/metrics\n');
    expect(text).toContain('mongodb://me:***@h:1/');
    expect(text).toContain('  HTTP edge      http://127.0.0.1:8090\n');
    expect(text).toContain('  gateway        http://127.0.0.1:17180');
    expect(text).toContain('  ! gateway is on port 17180 instead of 8080.\n');
    expect(text).not.toContain('! identity');
    const commands = [...text.matchAll(/^ {2}npx daycare (.+?)(?: {2}|$)/gm)].map(
      ([, line]) => line,
    );
    expect(commands).toEqual(['demo', 'login', 'chat', 'doctor']);
    expect(text).toMatch(/Logs: \.daycare\/logs\nPress Ctrl-C to stop everything\.\n$/);
  });

  it('names a data folder that is not the default one, quoted for a shell', () => {
    showReady(`/home/Ada's data`);
    expect(text).toContain(String.raw`npx daycare login --data-dir '/home/Ada'\''s data'`);
  });

  it('aligns the descriptions of the example commands when the data folder is long', () => {
    showReady('/home/ada/the/data');
    const purposes = ['watch two', 'create a user', 'talk with', 'find problems'];
    const starts = text
      .split('\n')
      .flatMap((line) => purposes.map((purpose) => line.indexOf(`  ${purpose}`)))
      .filter((start) => start > 0);
    expect(starts).toEqual(
      Array(4).fill('  npx daycare doctor --data-dir /home/ada/the/data'.length),
    );
  });

  it('shows a crashed part with its last lines, and its restart', () => {
    const screen = open();
    const lastLines = [log('ready'), 'x'.repeat(300)];
    screen.showEvent({ type: 'exited', part: 'identity', exit, lastLines, restartInMs: 100 });
    screen.showEvent({ type: 'restarted', part: 'identity', tookMs: 600 });
    expect(text.split('\n')).toEqual([
      '',
      '✖ identity was killed by SIGKILL. Its last lines:',
      '    12:03:04.005 INFO  ready',
      `    ${'x'.repeat(96)}`,
      '  Restarting in 0.1 s.',
      '  ✔ identity restarted             0.6 s',
      '',
    ]);
  });

  it('explains a failed restart', () => {
    const error = new Error('nats-server exited with code 1 while starting.\nno space left');
    open().showEvent({ type: 'restart-failed', part: 'nats', error, retryInMs: 200 });
    expect(text).toBe(
      '✖ NATS failed to restart: nats-server exited with code 1 while starting.\n' +
        '    no space left\n  Retrying in 0.2 s.\n',
    );
  });

  it('shows log lines only when verbose', () => {
    open().showEvent({ type: 'line', part: 'identity', line: log('hello') });
    expect(text).toBe('');
    open({ verbose: true }).showEvent({ type: 'line', part: 'identity', line: log('hello') });
    expect(text).toBe('identity       | 12:03:04.005 INFO  hello\n');
  });

  it('uses colours and a status line on a terminal, but no colours with NO_COLOR', () => {
    const event = { type: 'ready', part: 'identity', tookMs: 1 } as const;
    open({ isTTY: true }).showEvent({ type: 'starting', part: 'identity' });
    expect(text).toBe('\u001b[2m  … identity\u001b[22m');
    text = '';
    open({ isTTY: true }).showEvent(event);
    expect(text).toContain('\u001b[32m✔\u001b[39m');
    text = '';
    open({ isTTY: true, noColour: true }).showEvent(event);
    expect(text).not.toContain('\u001b[');
  });
});
