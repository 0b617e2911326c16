import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { adminAuthorization, nodeOptions, serviceNames } from '@daycare/local-stack';
import {
  createSecrets,
  dockerfile,
  read,
  readExecForm,
  root,
  run,
  runtimeValues,
  services,
  valuesOf,
} from '../support/deploy/image-files';

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

const compose = parse(read('docker-compose.yml'), { merge: true });
const containers = Object.entries<Container>(compose.services);
const exactImage = /^[a-z][\w./-]*:v?\d+\.\d+\.\d+(-[\w.]+)*(@sha256:[0-9a-f]{64})?$/;

function readSources(folder: string): string[] {
  const paths = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const isSource = (path: string): boolean => /^[^/]+\/src\/.*(?<!\.spec)\.ts$/.test(path);
  return paths.filter(isSource).map((path) => read(join(folder, path)));
}

describe('docker-compose.yml', () => {
  it('docker-compose.yml passes dclint without a warning', async () => {
    const dclint = join(root, 'node_modules/dclint/bin/dclint.cjs');
    const ended = await run(['node', dclint, '--max-warnings', '0', 'docker-compose.yml'], root);
    expect(ended).toMatchObject({ code: 0 });
  });

  it('docker-compose.yml has one container for each service in the workspace', () => {
    const built = containers.filter(([, { build }]) => build);
    const apps = built.map(([name, { build }]) => [name, build?.args.APP]);
    expect(apps.sort()).toEqual(services.map((service) => [service, service]));
  });

  it('docker-compose.yml sets only variables that the code reads', () => {
    const sources = [...readSources('apps'), ...readSources('libs')].join('\n');
    const inCompose = containers.flatMap(([, { environment = {} }]) => Object.keys(environment));
    const inImage = runtimeValues('ENV').map((value) => value.split('=')[0] ?? '');
    const ours = [...inCompose, ...inImage].filter((name) => name.startsWith('DAYCARE_'));
    // Every secret may come from a file; the code's own names have no _FILE.
    const isRead = (name: string): boolean => sources.includes(`'${name.replace(/_FILE$/, '')}'`);
    expect(ours.filter((name) => !isRead(name))).toEqual([]);
  });

  it.each(services)('docker-compose.yml gives %s the secrets it reads and no others', (service) => {
    const { environment = {}, secrets = [] }: Container = compose.services[service];
    if (service === 'gateway') {
      // The gateway has no credential of its own, only a key for the cookies of browsers.
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
    // Only agent-runtime has model providers' API keys to encrypt.
    const extra = service === 'agent-runtime' ? ['vault-key'] : [];
    expect(new Set(secrets)).toEqual(new Set([own, mongoUrl, natsUrl, ...extra]));
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
    'docker-compose.yml runs %s as a non-root user without capabilities on a read-only file system',
    (_name, container) => {
      const restrictions = {
        cap_drop: ['ALL'],
        read_only: true,
        security_opt: ['no-new-privileges:true'],
      };
      expect(container).toMatchObject(restrictions);
      const { cap_add, privileged, user = container.build && 'node' } = container;
      expect({ cap_add, privileged }).toEqual({});
      expect(user).toMatch(/^(?!root|0\b)\w/);
    },
  );

  it('docker-compose.yml makes containers wait only for containers with a health check', () => {
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
    await expect(createSecrets(folder)).resolves.toMatchObject({ code: 0 });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('the created secrets are those that docker-compose.yml uses, each in the format its reader expects', () => {
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
    const scripts = [...dockerfile.matchAll(/node (tools\/\S+\.mjs)/g)].map(
      ([, script = '']) => script,
    );
    const copies = valuesOf(dockerfile, 'COPY').flatMap((value) => value.split(' ').slice(0, -1));
    const needed = new Set(scripts);
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

  it('Dockerfile runs node directly, as the user node and with the local stack’s options, and stops it with SIGTERM', () => {
    expect(runtimeValues('USER')).toEqual(['node']);
    expect(runtimeValues('STOPSIGNAL')).toEqual(['SIGTERM']);
    expect(readExecForm('ENTRYPOINT')).toEqual(['node', ...nodeOptions, 'main.js']);
  });
});
