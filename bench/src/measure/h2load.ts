import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { GrpcRequest } from '../kit/workload';

export interface H2LoadOptions {
  readonly inFlight: number;
  readonly leadInMs: number;
  readonly measureMs: number;
  readonly scratchDir: string;
  readonly signal: AbortSignal;
}

const run = promisify(execFile);

/** Reports whether h2load is on the PATH. */
export async function hasH2Load(): Promise<boolean> {
  return run('h2load', ['--version']).then(
    () => true,
    () => false,
  );
}

/**
 * Measures requests per second with h2load as the client instead of the bench. h2load checks only the HTTP status, so
 * call this only after the same request has succeeded with the bench as the client.
 */
export async function runH2Load(request: GrpcRequest, options: H2LoadOptions): Promise<number> {
  const body = join(options.scratchDir, 'h2load-request');
  await writeFile(body, frameMessage(request.message));
  const { signal, inFlight, leadInMs, measureMs } = options;
  const { stdout } = await run(
    'h2load',
    [
      ...['--clients', '1', '--max-concurrent-streams', String(inFlight), '--data', body],
      ...['--warm-up-time', `${leadInMs}ms`, '--duration', `${measureMs}ms`],
      ...['--header', 'content-type: application/grpc', '--header', 'te: trailers'],
      ...Object.entries(request.metadata ?? {}).flatMap(([name, value]) => [
        '--header',
        `${name}: ${value}`,
      ]),
      `http://${request.address}${request.path}`,
    ],
    { signal },
  );
  return readRequestsPerSecond(stdout);
}

/** Prefixes a message with gRPC's header: a zero for no compression, and the message's length in four bytes. */
export function frameMessage(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** Reads the rate from h2load's report; throws when a request failed or there is no rate. */
export function readRequestsPerSecond(report: string): number {
  const rate = /^finished in .*?, ([\d.]+) req\/s/m.exec(report)?.[1];
  const failures = /(\d+) failed, (\d+) errored, (\d+) timeout/.exec(report);
  const failed = failures?.slice(1).reduce((sum, count) => sum + Number(count), 0);
  if (rate === undefined || failed !== 0) throw new Error(`h2load failed:\n${report}`);
  return Number(rate);
}
