import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  adminAuthorization,
  chooseFreePort,
  createCredentials,
  serviceNames,
  type ServiceName,
} from '@daycare/local-stack';
import { eventually, testMongoUrl, testNatsUrl, uniqueName } from '@daycare/testing';

const isWanted = process.env['DAYCARE_TEST_CONTAINERS'] === 'on';
const describeContainers = isWanted ? describe : describe.skip;

const apps = [...serviceNames, 'gateway'] as const;
type App = (typeof apps)[number];

const folder = mkdtempSync(join(tmpdir(), 'daycare-containers-'));
const prefix = uniqueName('containers');
const credentials = createCredentials();
const ports = new Map<App, { readonly api: number; readonly http: number }>();
const nameOf = (app: string): string => `${prefix}-${app}`;

function podman(...args: string[]): string {
  return execFileSync('podman', ['--runtime', 'runc', ...args], { encoding: 'utf8' }).trim();
}

/** The host's network, and the restrictions from Compose: a read-only root, no capabilities, no new privileges. */
const restrictions = [
  ...['--network', 'host', '--read-only', '--cap-drop', 'all'],
  ...['--security-opt', 'no-new-privileges'],
  // Podman's default limits are higher than a machine without systemd may allow.
  ...['--ulimit', 'nofile=10000:10000', '--ulimit', 'nproc=4096:4096'],
];

function envOf(app: App): Record<string, string> {
  const { api, http } = ports.get(app)!;
  const peers = serviceNames.map((name) => [
    `DAYCARE_${name.toUpperCase().replaceAll('-', '_')}_ADDRESS`,
    `127.0.0.1:${ports.get(name)!.api}`,
  ]);
  const own = app === 'gateway' ? {} : secretsOf(app);
  const listening = {
    DAYCARE_LISTEN: `127.0.0.1:${api}`,
    DAYCARE_HTTP_LISTEN: `127.0.0.1:${http}`,
  };
  return { ...Object.fromEntries(peers), ...listening, ...own };
}

function secretsOf(app: ServiceName): Record<string, string> {
  return {
    DAYCARE_MONGO_URL: testMongoUrl(),
    DAYCARE_MONGO_DATABASE: `${prefix}-${app}`,
    DAYCARE_NATS_URL: testNatsUrl(),
    DAYCARE_NATS_PREFIX: prefix,
    ...(app === 'identity'
      ? { DAYCARE_CREDENTIALS: JSON.stringify(credentials) }
      : { DAYCARE_SERVICE_CREDENTIAL: credentials.services[app] }),
    ...(app === 'agent-runtime' ? { DAYCARE_USERS_DIR: '/var/lib/daycare/users' } : {}),
  };
}

function start(app: App): void {
  const env = Object.entries(envOf(app)).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const volume = app === 'agent-runtime' ? ['--volume', `${prefix}:/var/lib/daycare/users`] : [];
  podman(
    'run',
    '--detach',
    '--name',
    nameOf(app),
    ...restrictions,
    ...volume,
    ...env,
    `localhost/daycare/${app}`,
  );
}

describeContainers('the containers (run by tools/containers/check.sh)', () => {
  beforeAll(async () => {
    for (const app of apps)
      ports.set(app, { api: await chooseFreePort(), http: await chooseFreePort() });
    for (const app of apps) start(app);
  });
  afterAll(() => {
    for (const app of apps) spawnSync('podman', ['rm', '--force', nameOf(app)]);
    spawnSync('podman', ['volume', 'rm', '--force', prefix]);
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(apps)(
    'the %s container is healthy, does not run as root and cannot write to its image',
    async (app) => {
      const check = () =>
        spawnSync('podman', ['--runtime', 'runc', 'healthcheck', 'run', nameOf(app)]).status === 0;
      await eventually(check, { timeoutMs: 60_000 });
      expect(podman('exec', nameOf(app), 'id', '-un')).toBe('node');
      const touched = spawnSync('podman', [
        '--runtime',
        'runc',
        'exec',
        nameOf(app),
        'touch',
        '/app/x',
      ]);
      expect(touched.stderr.toString()).toContain('Read-only file system');
      const status = podman('exec', nameOf(app), 'cat', '/proc/1/status');
      expect(status).toMatch(/^CapEff:\s+0+$/m);
      expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    },
  );

  it('the CLI container plays the demo against the other containers', () => {
    writeFileSync(
      join(folder, 'admin.header'),
      `authorization: ${adminAuthorization(credentials)}\n`,
    );
    chmodSync(folder, 0o755);
    const addresses = serviceNames.flatMap((name) => [
      `--${name}`,
      `127.0.0.1:${ports.get(name)!.api}`,
    ]);
    const script = [
      `node main.js context set release ${addresses.join(' ')}`,
      'node main.js doctor --remote --context release',
      'node main.js demo --context release --admin-header /run/daycare/admin.header',
    ];
    const mounts = [
      '--volume',
      `${folder}:/run/daycare:ro`,
      '--tmpfs',
      '/tmp:mode=1777',
      '--env',
      'DAYCARE_CONFIG=/tmp/config.yaml',
    ];
    const output = podman(
      'run',
      '--rm',
      ...restrictions,
      ...mounts,
      '--entrypoint',
      'sh',
      'localhost/daycare/cli',
      '-ec',
      script.join(' && '),
    );
    expect(output).toContain('Both users were removed.');
  });

  it.each(apps)('the %s container shuts down cleanly on SIGTERM', (app) => {
    podman('stop', '--time', '20', nameOf(app));
    // 137 would mean that it was killed after the grace period.
    expect(podman('inspect', '--format', '{{.State.ExitCode}}', nameOf(app))).toBe('0');
  });
});
