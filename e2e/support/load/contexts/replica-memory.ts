import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findWorkspaceRoot } from '@daycare/local-stack';
import { eventually } from '@daycare/testing';

/** The memory of one process, in MiB. */
export interface MemoryReading {
  /** Objects that are still in use after garbage collection. */
  readonly heap: number;
  /** What these objects use outside of the heap, such as cached images. */
  readonly buffers: number;
  readonly resident: number;
}

export interface MemoryGauge {
  /** The environment of a process that can be measured. */
  readonly env: NodeJS.ProcessEnv;
  /** Collects garbage in a process and returns its remaining memory. */
  read(pid: number): Promise<MemoryReading>;
  close(): Promise<void>;
}

const toMebibytes = (bytes: number): number => Math.round((bytes / 1_048_576) * 10) / 10;

/** Opens a gauge that can measure processes started with its `env`. */
export async function openMemoryGauge(): Promise<MemoryGauge> {
  const folder = await mkdtemp(join(tmpdir(), 'daycare-memory-'));
  const hook = join(findWorkspaceRoot(__dirname), 'e2e', 'soak', 'memory-hook.cjs');
  return {
    env: { NODE_OPTIONS: `--require=${hook}`, SOAK_MEMORY_DIR: folder },
    async read(pid) {
      const file = join(folder, `${pid}.json`);
      await rm(file, { force: true });
      process.kill(pid, 'SIGUSR2');
      const text = await eventually(() => readFile(file, 'utf8'), { timeoutMs: 60_000 });
      const { heapUsed, external, rss } = JSON.parse(text) as NodeJS.MemoryUsage;
      return {
        heap: toMebibytes(heapUsed),
        buffers: toMebibytes(external),
        resident: toMebibytes(rss),
      };
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
