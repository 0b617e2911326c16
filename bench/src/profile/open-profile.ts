import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findWorkspaceRoot } from '@daycare/local-stack';
import { formatProfiles } from './profile-table';
import { readProfiles } from './read-profiles';

export interface OpenProfile {
  /** The environment for the processes to sample. */
  readonly env: NodeJS.ProcessEnv;
  /** Formats the samples; call it once the processes have ended. */
  format(): Promise<string>;
}

/** Creates a temporary folder for the profiles, which stay there for tools that draw flame charts. */
export async function openProfile(env: NodeJS.ProcessEnv): Promise<OpenProfile> {
  const folder = await mkdtemp(join(tmpdir(), 'daycare-profile-'));
  const hook = join(findWorkspaceRoot(__dirname), 'bench', 'profile-hook.cjs');
  return {
    env: { ...env, NODE_OPTIONS: `--require=${hook}`, BENCH_PROFILE_DIR: folder },
    format: async () =>
      `${formatProfiles(await readProfiles(folder))}\nProfiles written to ${folder}`,
  };
}
