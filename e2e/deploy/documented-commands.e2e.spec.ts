import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { adminAuthorization } from '@daycare/local-stack';
import { parse } from 'yaml';
import { useSharedStack } from '../support/stack/use-stack';
import { findHelm, helm, root } from './render-chart';

const pages = ['docs/deploy.md', 'docs/kubernetes.md', 'docs/observability.md'];
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const compose = parse(read('docker-compose.yml'), { merge: true });

/** Returns a page's commands without comments, joining lines that end with a backslash. */
function commandsOf(page: string): string[] {
  const blocks = [...read(page).matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);
  const lines = blocks.flatMap((block) => block.replaceAll(/\\\n\s*/g, '').split('\n'));
  return lines
    .flatMap((line) => line.replace(/\s+# .*$/, '').split(' && '))
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

const commands = pages.flatMap(commandsOf);
const stack = useSharedStack();
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'daycare-commands-'));
  for (const name of ['deploy', 'node_modules', 'proto', 'buf.yaml'])
    symlinkSync(join(root, name), join(folder, name));
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(command: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const options = { cwd: folder, env: { ...process.env, ...env } };
  return new Promise((resolve, reject) => {
    execFile('sh', ['-ec', command], options, (error, stdout, stderr) =>
      error ? reject(new Error(`${command}\n${stderr}`)) : resolve(stdout),
    );
  });
}

/** Replaces the addresses of Compose with those of this test's stack. */
function withTestAddresses(command: string): string {
  return command
    .replaceAll('http://127.0.0.1:50051', `http://${stack.addressOf('identity')}`)
    .replaceAll('http://127.0.0.1:8080', `http://${stack.addressOf('gateway')}`);
}

/** Words in `docker compose` commands that do not name services. */
const composeWords =
  /^(?:-.*|\w+=.*|docker|compose|up|ps|logs|down|exec|stop|restart|config|observability|agent-runtime=\d+)$/;
/** Words in `docker compose exec` commands that run inside the container. */
const wordsAfterExec: readonly string[] = ['id', 'test', '/run/secrets/service-credential'];

describe('the documented commands', () => {
  it('the scripts, calls and shell settings that the pages show do what the pages say', async () => {
    const scripts = commands.filter((command) => command.startsWith('node deploy/'));
    expect(scripts.length).toBe(2);
    for (const command of scripts) {
      rmSync(join(folder, 'secrets'), { recursive: true, force: true });
      await run(command);
      expect(existsSync(join(folder, 'secrets/credentials.json'))).toBe(true);
    }
    const header = `authorization: ${adminAuthorization(stack.credentials)}\n`;
    writeFileSync(join(folder, 'secrets/admin.header'), header);
    const calls = commands.filter((command) => /^(?:npx buf curl|curl) /.test(command));
    const answers = await Promise.all(calls.map((command) => run(withTestAddresses(command))));
    expect(answers.map((text) => JSON.parse(text) as object)).toEqual([
      { user: expect.objectContaining({ name: 'Ada' }) },
      { user: expect.objectContaining({ name: 'Bob' }) },
      { status: 'SERVING' },
    ]);
    const shell = commands.filter((command) =>
      /^(?:PASSWORD=|mkdir |printf |export )/.test(command),
    );
    const settings = await run(
      `${shell.join('\n')}\nenv | grep ^DAYCARE_NATS_URL\ncat secrets/nats-single/nats.conf`,
    );
    expect(settings).toMatch(/^DAYCARE_NATS_URL=nats:\/\/daycare:(\w+)@[^]*password: "\1"/);
  });

  const itWithHelm = findHelm() ? it : it.skip;
  itWithHelm('every helm install command renders the chart from files that exist', () => {
    const installs = commands.filter((command) => command.startsWith('helm install'));
    expect(installs.length).toBeGreaterThan(0);
    for (const command of installs) {
      const [, , ...args] = command.split(' ').filter((word) => word !== '--wait');
      const paths = args.map((word) => (word.startsWith('deploy/') ? join(root, word) : word));
      expect(helm('template', ...paths, '--kube-version', '1.31.0')).toMatchObject({ code: 0 });
    }
  });

  it('every docker compose command names only services that docker-compose.yml defines', () => {
    const composeCommands = commands.filter((command) => command.includes('docker compose '));
    expect(composeCommands.length).toBeGreaterThan(10);
    for (const command of composeCommands) {
      const words = command.split(' ').filter((word) => !composeWords.test(word));
      const insideContainer = command.includes(' exec ') ? wordsAfterExec : [];
      const unknown = words.filter(
        (word) => !(word in compose.services) && !insideContainer.includes(word),
      );
      expect({ command, unknown }).toEqual({ command, unknown: [] });
    }
  });

  it('every command that these tests do not check needs a container engine or a cluster, or is npm start', () => {
    const checked =
      /^(?:node deploy\/|npx buf curl|curl |PASSWORD=|mkdir |printf |export |helm install|(?:\w+=\S+ )?docker compose )/;
    const unchecked = commands.filter((command) => !checked.test(command));
    expect(unchecked.map((command) => command.split(' ').slice(0, 2).join(' ')).sort()).toEqual([
      'docker build',
      'docker build',
      'docker buildx',
      'docker run',
      'helm test',
      'kubectl create',
      'kubectl create',
      'kubectl label',
      'npm start',
    ]);
  });
});
