import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** How a program ended, and what it printed. */
export interface ProgramResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export const root = resolve(__dirname, '../../..');
/** Reads a file in the workspace as text. */
export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The standard environment of programs that `run` starts: a PATH with the folders of Node and the system's tools. */
export const bareEnv = { PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin` };
export const dockerfile = read('Dockerfile').replaceAll(/\\\n\s*/g, '');
const [, runtimeStage = ''] = dockerfile.split(' AS runtime\n');
/** The apps that run as services. */
export const services = readdirSync(join(root, 'apps')).filter(isService).sort();

/** Returns the values of a Dockerfile instruction, in order. */
export function valuesOf(text: string, instruction: string): string[] {
  const lines = text.matchAll(new RegExp(`^${instruction} +(.*)$`, 'gm'));
  return Array.from(lines, ([, value = '']) => value);
}

/** Returns the values of an instruction in the stage that becomes the image. */
export function runtimeValues(instruction: string): string[] {
  return valuesOf(runtimeStage, instruction);
}

/** Returns an instruction's exec form: a JSON list, which needs no shell. */
export function readExecForm(instruction: string): [string, ...string[]] {
  const [value = ''] = runtimeValues(instruction);
  return JSON.parse(value.slice(value.indexOf('['))) as [string, ...string[]];
}

/** Runs the command from docs/deploy.md that creates a deployment's secrets, in this folder. */
export function createSecrets(folder: string): Promise<ProgramResult> {
  symlinkSync(join(root, 'deploy'), join(folder, 'deploy'));
  return run(['sh', '-c', shellBlockWith('create-secrets')], folder);
}

function shellBlockWith(text: string): string {
  const blocks = read('docs/deploy.md').matchAll(/^```sh\n([^]*?)^```$/gm);
  return Array.from(blocks, ([, block = '']) => block).find((block) => block.includes(text)) ?? '';
}

function isService(app: string): boolean {
  const main = `apps/${app}/src/main.ts`;
  return existsSync(join(root, main)) && read(main).includes('runService(');
}

/** Runs a program without the environment of this process; resolves when it has ended. */
export function run(
  command: readonly [string, ...string[]],
  cwd: string,
  env = {},
): Promise<ProgramResult> {
  const [program, ...args] = command;
  const options = { cwd, env: { ...bareEnv, ...env }, timeout: 20_000 };
  return new Promise((done, fail) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      const code = error ? error.code : 0;
      if (typeof code === 'number') done({ code, stdout, stderr });
      // The program could not be started, or was killed because it took too long.
      else fail(error ?? new Error(`${program} ended without an exit code`));
    });
  });
}
