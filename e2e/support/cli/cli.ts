import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adminHeaderFile, serviceNames, writeStackFile } from '@daycare/local-stack';
import type { TestStack } from '@daycare/testing';

/** The exit code and output of a run. */
export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly stdin?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** A program, with its arguments, that starts the command, e.g. with fewer privileges. */
  readonly launcher?: readonly string[];
  readonly onStdout?: (text: string) => void;
}

const program = join(__dirname, '../../../dist/cli/main.js');

/** Runs the built `daycare` in a folder of its own, with a stack file, an admin header and its own configuration. */
export class Cli {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open(stack: TestStack): Promise<Cli> {
    const folder = await mkdtemp(join(tmpdir(), 'daycare-cli-'));
    const services = serviceNames.map((name) => {
      const { grpcAddress, httpAddress } = stack.service(name).current;
      return { name, grpcAddress, httpAddress };
    });
    writeStackFile(folder, services);
    const header = `authorization: ${stack.adminMetadata.authorization}\n`;
    await writeFile(join(folder, adminHeaderFile), header);
    return new Cli(folder);
  }

  get configFile(): string {
    return join(this.folder, 'config', 'config.yaml');
  }

  run(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
    const env = { DAYCARE_CONFIG: this.configFile, ...options.env };
    const [command = '', ...args] = [
      ...(options.launcher ?? []),
      process.execPath,
      program,
      ...argv,
    ];
    const child = spawn(command, args, { cwd: this.folder, env });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (bytes: Buffer) => {
      stdout += bytes.toString();
      options.onStdout?.(stdout);
    });
    child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.stdin ?? '');
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, stdout, stderr }));
    });
  }

  close(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}
