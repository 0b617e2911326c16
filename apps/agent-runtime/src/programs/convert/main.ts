import { Worker } from 'node:worker_threads';
import type { Conversion } from '../../files/domain/conversion';
import { readPdf } from './read-pdf';
import { scaleImage } from './scale-image';

/**
 * Converts one file of unknown origin, from standard input to standard output, in a separate process, so
 * that a crashing or hanging decoder does not affect the service. If the conversion fails, the exit code
 * is 1.
 */
async function main(): Promise<void> {
  endAfter(Number(process.argv[3]));
  const conversion = JSON.parse(process.argv[2] ?? '') as Conversion;
  const content = await readInput();
  const result = await convert(conversion, content);
  process.stdout.write(result);
}

/**
 * Kills this process after `ms`, in case the service has died and can no longer do so. The timer runs in a separate
 * thread, because a decoder that never returns would block a timer in this one.
 */
function endAfter(ms: number): void {
  const code = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${ms})`;
  new Worker(code, { eval: true }).unref();
}

function convert(conversion: Conversion, content: Buffer): Promise<Uint8Array> {
  switch (conversion.kind) {
    case 'image':
      return scaleImage(content, conversion);
    case 'pdf':
      return readPdf(content, conversion);
  }
}

async function readInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

main().catch((error: unknown) => {
  process.stderr.write(error instanceof Error ? error.message : 'unknown error');
  process.exitCode = 1;
});
