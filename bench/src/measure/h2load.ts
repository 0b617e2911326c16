import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A unary call as it goes over the wire. */
export interface GrpcRequest {
  readonly address: string;
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly message: Uint8Array;
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface H2LoadOptions {
  readonly inFlight: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  readonly scratchDir: string;
  readonly signal: AbortSignal;
}

const run = promisify(execFile);

/** Whether Debian's nghttp2-client, or another h2load, is on the PATH. */
export async function hasH2Load(): Promise<boolean> {
  return run('h2load', ['--version']).then(
    () => true,
    () => false,
  );
}

/**
 * Requests per second that the server answers when h2load asks instead of grpc-js. h2load sees HTTP
 * statuses only, so the caller must have seen the same request succeed as a call.
 */
export async function runH2Load(request: GrpcRequest, options: H2LoadOptions): Promise<number> {
  const body = join(options.scratchDir, 'h2load-request');
  await writeFile(body, frameMessage(request.message));
  const { signal, inFlight, warmUpMs, measureMs } = options;
  const { stdout } = await run(
    'h2load',
    [
      ...['--clients', '1', '--max-concurrent-streams', String(inFlight), '--data', body],
      ...['--warm-up-time', `${warmUpMs}ms`, '--duration', `${measureMs}ms`],
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

/** A gRPC message on the wire: not compressed, its length in four bytes, itself. */
export function frameMessage(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** Takes the rate from h2load's report; throws when any request failed or there is no rate. */
export function readRequestsPerSecond(report: string): number {
  const rate = /^finished in .*?, ([\d.]+) req\/s/m.exec(report)?.[1];
  const failures = /(\d+) failed, (\d+) errored, (\d+) timeout/.exec(report);
  const failed = failures?.slice(1).reduce((sum, count) => sum + Number(count), 0);
  if (rate === undefined || failed !== 0) throw new Error(`h2load failed:\n${report}`);
  return Number(rate);
}
