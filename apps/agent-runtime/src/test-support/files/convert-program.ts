import { mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const root = resolve(__dirname, '../../../../..');

/** Bundles the program that converts files, as `tools/bundle.mjs` does. Call `remove` at the end. */
export async function buildConvertProgram(): Promise<{
  readonly program: string;
  remove(): Promise<void>;
}> {
  // Inside the workspace, where packages that are not bundled can be resolved.
  const folder = await mkdtemp(join(root, 'node_modules/.convert-'));
  const program = join(folder, 'convert.js');
  await build({
    entryPoints: [join(root, 'apps/agent-runtime/src/programs/convert/main.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    supported: { 'dynamic-import': false },
    external: ['sharp'],
    logLevel: 'error',
  });
  return { program, remove: () => rm(folder, { recursive: true, force: true }) };
}
