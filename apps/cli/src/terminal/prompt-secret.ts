import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** Asks for a line that is not shown while it is typed; undefined when the person cancels with Ctrl-C or Ctrl-D. */
export function promptSecret(
  question: string,
  input: NodeJS.ReadableStream = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Promise<string | undefined> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true });
  output.write(question);
  return new Promise((resolve) => {
    const finish = (line: string | undefined): void => {
      resolve(line);
      lines.close();
    };
    lines.on('line', finish);
    lines.on('SIGINT', () => finish(undefined));
    lines.on('close', () => {
      output.write('\n');
      resolve(undefined);
    });
  });
}
