import type { Logger } from '@daycare/rpc';
import type { SandboxConfig } from './sandbox-config';
import { readInheritedDescriptors } from './inherited-descriptors';
import { probeSandbox } from './probe-sandbox';
import { makeRunSandboxed, type RunSandboxed } from './run-sandboxed';
import { mountedPaths } from './sandbox-command';
import { readSystemFolders } from './system-folders';

const kibibyte = 1024;
const maxReturnedBytes = 64 * kibibyte;
const maxOutputBytes = 64 * kibibyte * kibibyte;

/**
 * Returns the function that runs programs in a sandbox; undefined when the sandbox is disabled or cannot work
 * here. In the latter case, logs the reason.
 */
export async function openSandbox(
  { enabled, uid, memoryBytes, processes }: SandboxConfig,
  { usersDir, fileBytes }: { readonly usersDir: string; readonly fileBytes: number },
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<RunSandboxed | undefined> {
  if (!enabled) return undefined;
  const system = readSystemFolders();
  const run = makeRunSandboxed({
    system,
    inherited: readInheritedDescriptors(),
    uid,
    limits: { memoryBytes, processes, fileBytes },
    maxReturnedBytes,
    maxOutputBytes,
    memoryCheckMs: 250,
    quotaCheckMs: 1_000,
  });
  const isRoot = process.getuid?.() === 0;
  const reason = usersDir
    ? await probeSandbox({ run, usersDir, mounted: mountedPaths(system), isRoot, uid })
    : 'no users directory is configured';
  if (reason === undefined) log.info({}, 'exec tool enabled');
  else log.warn({ reason }, 'exec tool disabled');
  return reason === undefined ? run : undefined;
}
