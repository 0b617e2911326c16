import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { chooseFreePort, serviceNames } from '@daycare/local-stack';
import { eventually } from '@daycare/testing';
import { stringify } from 'yaml';
import { post } from '../support/people/history';
import { useSharedStack } from '../support/stack/use-stack';
import { root } from './render-chart';

const stack = useSharedStack();

/** Returns the addresses at which all replicas serve their metrics. */
function targets(): { app: string; address: string }[] {
  return serviceNames.flatMap((app) =>
    Array.from({ length: stack.replicasOf(app) }, (_, replica) => ({
      app,
      address: stack.service(app, replica).current.httpAddress,
    })),
  );
}

it('running services expose exactly the metrics in docs/metrics.md', async () => {
  const texts = await Promise.all(
    targets().map(async ({ address }) => (await fetch(`http://${address}/metrics`)).text()),
  );
  const exposed = texts.flatMap((text) =>
    Array.from(
      text.matchAll(/^# TYPE (daycare_\S+) (\w+)$/gm),
      ([, name, kind]) => `${name} ${kind}`,
    ),
  );
  const documented = readFileSync(join(root, 'docs/metrics.md'), 'utf8').matchAll(
    /^\| `(daycare_\w+)` +\| (\w+) /gm,
  );
  expect([...new Set(exposed)].sort()).toEqual(
    Array.from(documented, ([, name, kind]) => `${name} ${kind}`).sort(),
  );
});

const hasPrometheus = spawnSync('prometheus', ['--version'], { stdio: 'ignore' }).status === 0;
const describePrometheus = hasPrometheus ? describe : describe.skip;

describePrometheus("a Prometheus server (needs Debian's prometheus)", () => {
  const folder = mkdtempSync(join(tmpdir(), 'daycare-scrape-'));
  let prometheus: ChildProcess | undefined;
  afterAll(() => {
    prometheus?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  it('Prometheus scrapes every replica and evaluates every alert', async () => {
    const port = await chooseFreePort();
    writeFileSync(join(folder, 'prometheus.yml'), configuration());
    prometheus = spawn('prometheus', [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ]);
    const ask = async (path: string): Promise<unknown> => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
      return ((await answer.json()) as { data: unknown }).data;
    };
    const valueOf = async (query: string): Promise<number> => {
      const response = (await ask(`query?query=${encodeURIComponent(query)}`)) as {
        result: { value: [number, string] }[];
      };
      return Number(response.result[0]?.value[1] ?? Number.NaN);
    };
    const ada = await stack.people.newPerson();
    await stack.runtime.postMessage(post('hello'), ada.as);
    await eventually(async () => (await valueOf('sum(up)')) === targets().length);
    await eventually(
      async () => (await valueOf('sum(daycare_turns_total{outcome="answered"})')) >= 1,
    );
    expect(await valueOf('sum(daycare_shards_served)')).toBe(64);
    expect(await valueOf('min(daycare_mongo_connected)')).toBe(1);
    const rules = await eventually(async () => {
      const { groups } = (await ask('rules')) as {
        groups: { rules: { name: string; health: string; lastError?: string }[] }[];
      };
      const all = groups.flatMap((group) => group.rules);
      return all.length > 0 && all.every(({ health }) => health !== 'unknown') ? all : undefined;
    });
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
  });
});

function configuration(): string {
  return stringify({
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [join(root, 'deploy/helm/daycare/files/alerts.yaml')],
    scrape_configs: serviceNames.map((app) => ({
      job_name: `daycare-${app}`,
      static_configs: [
        {
          targets: targets()
            .filter((target) => target.app === app)
            .map(({ address }) => address),
        },
      ],
    })),
  });
}
