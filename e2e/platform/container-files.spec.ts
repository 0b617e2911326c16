import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { adminAuthorization, nodeOptions, serviceNames } from '@daycare/local-stack';
import { testMongoUrl, testNatsUrl, uniqueName } from '@daycare/testing';

interface Container {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly args: { readonly APP: string } };
  readonly user?: string;
  readonly privileged?: boolean;
  readonly cap_add?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly (string | { readonly source: string; readonly target: string })[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const root = resolve(__dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const bareEnv = { PATH: process.env['PATH'] };
const compose = parse(read('docker-compose.yml'), { merge: true });
const containers = Object.entries<Container>(compose.services);
const dockerfile = read('Dockerfile').replaceAll(/\\\n\s*/g, '');
const [, runtimeStage = ''] = dockerfile.split(' AS runtime\n');
const services = readdirSync(join(root, 'apps')).filter(isService).sort();
/** The command of the document that creates the folder. */
const makeSecrets = ['sh', '-c', shellBlockWith('create-secrets')] as const;
const exactImage = /^[a-z][\w./-]*:v?\d+\.\d+\.\d+(-[\w.]+)*(@sha256:[0-9a-f]{64})?$/;

function valuesOf(text: string, instruction: string): string[] {
  const lines = text.matchAll(new RegExp(`^${instruction} +(.*)$`, 'gm'));
  return Array.from(lines, ([, value = '']) => value);
}

/** The exec form of an instruction: a JSON list, which needs no shell. */
function readExecForm(instruction: string): [string, ...string[]] {
  const [value = ''] = valuesOf(runtimeStage, instruction);
  return JSON.parse(value.slice(value.indexOf('['))) as [string, ...string[]];
}

function shellBlockWith(text: string): string {
  const blocks = read('docs/deploy.md').matchAll(/^```sh\n([^]*?)^```$/gm);
  return Array.from(blocks, ([, block = '']) => block).find((block) => block.includes(text)) ?? '';
}

function isService(app: string): boolean {
  const main = `apps/${app}/src/main.ts`;
  return existsSync(join(root, main)) && read(main).includes('runService(');
}

function readSources(folder: string): string[] {
  const paths = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const isSource = (path: string): boolean => /^[^/]+\/src\/.*(?<!\.spec)\.ts$/.test(path);
  return paths.filter(isSource).map((path) => read(join(folder, path)));
}

function run(command: readonly [string, ...string[]], cwd: string, env = {}): Promise<Ended> {
  const [program, ...args] = command;
  const options = { cwd, env: { ...bareEnv, ...env }, timeout: 20_000 };
  return new Promise((done) => {
    execFile(program, args, options, (error, stdout, stderr) =>
      done({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

describe('docker-compose.yml', () => {
  it('docker-compose.yml passes dclint without a warning', async () => {
    const dclint = join(root, 'node_modules/dclint/bin/dclint.cjs');
    const ended = await run(['node', dclint, '--max-warnings', '0', 'docker-compose.yml'], root);
    expect(ended).toMatchObject({ code: 0 });
  });

  it('docker-compose.yml has one container for each service of the workspace', () => {
    const built = containers.filter(([, { build }]) => build);
    const apps = built.map(([name, { build }]) => [name, build?.args.APP]);
    expect(apps.sort()).toEqual(services.map((service) => [service, service]));
  });

  it('docker-compose.yml sets only variables that the code reads', () => {
    const sources = [...readSources('apps'), ...readSources('libs')].join('\n');
    const inCompose = containers.flatMap(([, { environment = {} }]) => Object.keys(environment));
    const inImage = valuesOf(runtimeStage, 'ENV').map((value) => value.split('=')[0] ?? '');
    const ours = [...inCompose, ...inImage].filter((name) => name.startsWith('DAYCARE_'));
    // Every secret may come from a file; the code's own names have no _FILE.
    const isRead = (name: string): boolean => sources.includes(`'${name.replace(/_FILE$/, '')}'`);
    expect(ours.filter((name) => !isRead(name))).toEqual([]);
  });

  it.each(services)('docker-compose.yml gives %s the secrets it reads and no others', (service) => {
    const { environment = {}, secrets = [] }: Container = compose.services[service];
    if (service === 'gateway') {
      // It has no rights of its own, only a key for the cookies of browsers.
      expect([
        secrets,
        Object.keys(environment).filter((name) => name.includes('CREDENTIAL')),
      ]).toEqual([['gateway-session-key'], []]);
      return;
    }
    const isIdentity = service === 'identity';
    const mongoUrl = { source: `${service}-mongo-url`, target: 'mongo-url' };
    const natsUrl = { source: `nats-${service}`, target: 'nats-url' };
    const own = isIdentity ? 'credentials' : { source: service, target: 'service-credential' };
    // Only agent-runtime has keys of models to encrypt.
    const more = service === 'agent-runtime' ? ['vault-key'] : [];
    expect(new Set(secrets)).toEqual(new Set([own, mongoUrl, natsUrl, ...more]));
    expect(Object.entries(environment).filter(([name]) => name.includes('CREDENTIAL'))).toEqual([
      isIdentity
        ? ['DAYCARE_CREDENTIALS_FILE', '/run/secrets/credentials']
        : ['DAYCARE_SERVICE_CREDENTIAL_FILE', '/run/secrets/service-credential'],
    ]);
  });

  it.each(containers)('docker-compose.yml pins the version of %s', (_name, { image, build }) => {
    if (build) expect({ image, context: build.context }).toEqual({ context: '.' });
    else expect(image).toMatch(exactImage);
  });

  it.each(containers)(
    'docker-compose.yml gives %s no capability it does not need',
    (_name, container) => {
      const least = {
        cap_drop: ['ALL'],
        read_only: true,
        security_opt: ['no-new-privileges:true'],
      };
      expect(container).toMatchObject(least);
      const { cap_add, privileged, user = container.build && 'node' } = container;
      expect({ cap_add, privileged }).toEqual({});
      expect(user).toMatch(/^(?!root|0\b)\w/);
    },
  );

  it('docker-compose.yml waits only for containers with a health check', () => {
    const awaited = containers.flatMap(([, { depends_on = {} }]) => Object.entries(depends_on));
    expect(awaited.length).toBeGreaterThan(0);
    for (const [name, { condition }] of awaited) {
      expect(condition).toBe('service_healthy');
      expect(compose.services[name].healthcheck.test).toBeDefined();
    }
  });

  it('docker-compose.yml publishes each port once, on localhost only', () => {
    const ports = containers.flatMap(([, container]) => container.ports ?? []);
    const isLocal = /^127\.0\.0\.1:(?:\d+|\$\{[A-Z_]+:-\d+\}):\d+$/;
    expect(ports.filter((port) => !isLocal.test(port))).toEqual([]);
    expect(new Set(ports.map((port) => port.split(':')[1])).size).toBe(ports.length);
  });
});

describe('the secrets created by the command in docs/deploy.md', () => {
  let folder: string;
  const inFolder = (path: string): string => readFileSync(join(folder, path), 'utf8');
  const modeOf = (path: string): string => (statSync(join(folder, path)).mode & 0o777).toString(8);
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'daycare-secrets-'));
    symlinkSync(join(root, 'deploy'), join(folder, 'deploy'));
    await expect(run(makeSecrets, folder)).resolves.toMatchObject({ code: 0 });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('the created secrets are those of the compose file, each in the format its reader expects', () => {
    const paths = Object.values<{ file: string }>(compose.secrets).map(({ file }) => file);
    expect(paths.map(modeOf)).toEqual(paths.map(() => '644'));
    const { admin, services: own } = JSON.parse(inFolder('secrets/credentials.json'));
    expect(Object.keys(own).sort()).toEqual(
      services.filter((name) => name !== 'identity' && name !== 'gateway'),
    );
    for (const [name, secret] of Object.entries(own)) {
      expect(inFolder(compose.secrets[name].file)).toBe(secret);
    }
    const mongo = JSON.parse(inFolder('secrets/mongo-users.json'));
    expect(Object.keys(mongo).sort()).toEqual(['admin', ...serviceNames].sort());
    for (const name of serviceNames) {
      const { username, password } = new URL(inFolder(`secrets/${name}-mongo-url`));
      expect({ [username]: password }).toEqual({ [name]: mongo[name] });
    }
    expect(inFolder('secrets/admin.header')).toBe(
      `authorization: ${adminAuthorization({ admin })}\n`,
    );
  });
});

describe('Dockerfile', () => {
  it('Dockerfile builds every stage on one pinned Node image', () => {
    const [name, image] = (valuesOf(dockerfile, 'ARG')[0] ?? '').split('=');
    expect([name, image]).toEqual(['NODE_IMAGE', expect.stringMatching(exactImage)]);
    const stages = ['manifests', 'build', 'runtime'].map((stage) => `\${NODE_IMAGE} AS ${stage}`);
    expect(valuesOf(dockerfile, 'FROM')).toEqual(stages);
  });

  it('Dockerfile copies only files that exist and that .dockerignore admits', () => {
    const copies = valuesOf(dockerfile, 'COPY').filter((value) => !value.startsWith('--from'));
    const paths = copies.flatMap((value) => value.split(' ').slice(0, -1));
    const allowed = read('.dockerignore').split('\n');
    const isUsable = (path: string): boolean =>
      existsSync(join(root, path)) && (path === '.' || allowed.includes(`!${path}`));
    expect(paths.filter((path) => !isUsable(path))).toEqual([]);
  });

  it('Dockerfile copies everything that the scripts it runs import', () => {
    const ran = [...dockerfile.matchAll(/node (tools\/\S+\.mjs)/g)].map(
      ([, script = '']) => script,
    );
    const copies = valuesOf(dockerfile, 'COPY').flatMap((value) => value.split(' ').slice(0, -1));
    const needed = new Set(ran);
    for (const script of needed)
      for (const [, path = ''] of read(script).matchAll(/(?:from|import\() ?'(\.[^']+)'/g))
        needed.add(join(dirname(script), path));
    expect([...needed]).toEqual(
      expect.arrayContaining(['tools/cli/pack-bundle.mjs', 'tools/client/without-node.mjs']),
    );
    const isCopied = (path: string): boolean =>
      copies.some((copied) => path === copied || path.startsWith(`${copied}/`));
    expect([...needed].filter((path) => !isCopied(path))).toEqual([]);
  });

  it('Dockerfile runs node directly and as the local stack does, not as root, and stops it by SIGTERM', () => {
    expect(valuesOf(runtimeStage, 'USER')).toEqual(['node']);
    expect(valuesOf(runtimeStage, 'STOPSIGNAL')).toEqual(['SIGTERM']);
    expect(readExecForm('ENTRYPOINT')).toEqual(['node', ...nodeOptions, 'main.js']);
  });
});

describe('a bundle alone in a folder, as in the image', () => {
  const folders = new Map<string, string>();
  const filesInImage = valuesOf(runtimeStage, 'COPY').flatMap((value) =>
    Array.from(value.matchAll(/\/dist\/\$\{APP\}\/(\S+)/g), ([, file = '']) => file),
  );
  const anywhere = { DAYCARE_LISTEN: '127.0.0.1:0', DAYCARE_HTTP_LISTEN: '127.0.0.1:0' };

  beforeAll(() => {
    for (const service of services) {
      const folder = mkdtempSync(join(tmpdir(), `daycare-${service}-`));
      folders.set(service, folder);
      for (const file of filesInImage)
        cpSync(join(root, 'dist', service, file), join(folder, file), { recursive: true });
    }
  });
  afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

  it('a bundle is started with its V8 cache', () => {
    expect(filesInImage).toEqual(['main.js', 'bundle.js', 'bundle.cache', 'programs', 'console']);
  });

  it('the program that converts files finds all its packages in the image', async () => {
    const [copied = ''] = /cp -r --parents \S.*(?= dist)/.exec(dockerfile) ?? [];
    const programs = join(folders.get('agent-runtime')!, 'programs');
    await run(['sh', '-c', `${copied} ${programs}`], root);
    const conversion = { kind: 'image', maxEdge: 2, maxPixels: 4, maxBytes: 10_000 };
    const convert = `node convert.js '${JSON.stringify(conversion)}' 20000 < image.gif | od -An -tx1 -N3`;
    const pixel = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
    writeFileSync(join(programs, 'image.gif'), Buffer.from(pixel, 'base64'));
    const ended = await run(['sh', '-c', convert], programs);
    expect(ended).toEqual({ code: 0, stdout: ' ff d8 ff\n', stderr: '' });
  });

  it.each(services)('the bundle of %s runs until it reads its configuration', async (service) => {
    const env = { ...anywhere, DAYCARE_LISTEN: 'here', DAYCARE_LOGLEVEL: 'warn' };
    const ended = await run(readExecForm('ENTRYPOINT'), folders.get(service)!, env);
    expect(ended).toMatchObject({ code: 78, stdout: '' });
    expect(ended.stderr).toContain(`${service}: DAYCARE_LISTEN is "here"`);
    expect(ended.stderr).toContain(
      `${service}: DAYCARE_LOGLEVEL is set, but there is no such variable; did you mean DAYCARE_LOG_LEVEL?`,
    );
  });

  it('the bundle of identity names the missing variable', async () => {
    const ended = await run(readExecForm('ENTRYPOINT'), folders.get('identity')!, anywhere);
    expect(ended).toMatchObject({ code: 78, stdout: '' });
    expect(ended.stderr).toContain('identity: DAYCARE_MONGO_URL is not set');
  });

  it('a bundle is healthy while it serves and exits with 0 on SIGTERM', async () => {
    const cwd = folders.get('identity')!;
    const [program, ...args] = readExecForm('ENTRYPOINT');
    symlinkSync(join(root, 'deploy'), join(cwd, 'deploy'));
    await run(makeSecrets, cwd);
    const configured = {
      DAYCARE_MONGO_URL: testMongoUrl(),
      DAYCARE_MONGO_DATABASE: uniqueName('alone'),
      DAYCARE_NATS_URL: testNatsUrl(),
      DAYCARE_NATS_PREFIX: uniqueName('alone'),
      DAYCARE_CREDENTIALS_FILE: 'secrets/credentials.json',
    };
    const child = spawn(program, args, { cwd, env: { ...bareEnv, ...anywhere, ...configured } });
    try {
      const listening = { DAYCARE_HTTP_LISTEN: await readHttpAddress(child.stdout) };
      const checkHealth = (): Promise<Ended> => run(readExecForm('HEALTHCHECK'), cwd, listening);
      expect(await checkHealth()).toEqual({ code: 0, stdout: '', stderr: '' });
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).toEqual([0, null]);
      expect(await checkHealth()).toEqual({ code: 1, stdout: '', stderr: '' });
    } finally {
      child.kill('SIGKILL');
    }
  });
});

async function readHttpAddress(stdout: Readable): Promise<string> {
  for await (const line of createInterface({ input: stdout })) {
    const { event, http } = JSON.parse(line) as { event?: string; http?: string };
    if (event === 'ready' && http !== undefined) return http;
  }
  throw new Error('the service ended before it was ready');
}
