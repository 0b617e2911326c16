import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { eventually } from '@daycare/testing';

/** Whether pseudo-terminals are available. They need the program `script`, which Debian and Ubuntu normally have. */
export const hasPty = spawnSync('script', ['--version']).status === 0;

const escapes = /\u001b(?:\[[0-9;?]*[A-Za-z]|\][^\u0007]*\u0007)/g;

/** A program in a pseudo-terminal. */
export class Pty {
  readonly exited: Promise<number | null>;
  readonly #child: ChildProcess;
  #raw = '';

  constructor(
    argv: readonly string[],
    env: NodeJS.ProcessEnv,
    { columns = 100 }: { readonly columns?: number } = {},
  ) {
    if (!hasPty) throw new Error('the program `script` is missing; install util-linux');
    const line = argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
    const command = `stty cols ${columns} rows 30; exec ${line}`;
    this.#child = spawn('script', ['-qec', command, '/dev/null'], {
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', SHELL: '/bin/sh', TERM: 'xterm', ...env },
    });
    this.#child.stdout!.on('data', (bytes: Buffer) => (this.#raw += bytes.toString()));
    this.exited = new Promise((resolve) => this.#child.once('close', resolve));
  }

  /** All output so far, without escape sequences. */
  get output(): string {
    return this.#raw.replace(escapes, '').replaceAll('\r', '');
  }

  /** All output so far, with escape sequences. */
  get rawOutput(): string {
    return this.#raw;
  }

  type(keys: string): void {
    this.#child.stdin!.write(keys);
  }

  /** Types a line and waits for the expected output to appear after it. */
  async enter(line: string, expected: RegExp): Promise<void> {
    const before = this.output.length;
    this.type(`${line}\r`);
    await this.waitFor(expected, before);
  }

  async waitFor(expected: RegExp, from = 0): Promise<void> {
    await eventually(() => expected.test(this.output.slice(from))).catch((error: unknown) => {
      throw new Error(`the terminal never showed ${String(expected)}:\n${this.output}`, {
        cause: error,
      });
    });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
