import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { root } from './render-chart';

interface Rule {
  readonly alert: string;
  readonly expr: string;
}

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}

const files = join(root, 'deploy/helm/daycare/files');
const rules = (
  parse(readFileSync(join(files, 'alerts.yaml'), 'utf8')) as { groups: { rules: Rule[] }[] }
).groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(readFileSync(join(files, 'dashboards/daycare.json'), 'utf8')) as {
  panels: Panel[];
};
const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

/** The metrics in docs/metrics.md, by name, with their labels; another test compares that page with the code. */
const metrics = new Map(
  readFileSync(join(root, 'docs/metrics.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `daycare_'))
    .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
    .map(([, name = '', kind = '', labels = '']) => [name, { kind, labels: labels.split(', ') }]),
);

/** Labels that the table does not list: our `app`, those that Prometheus adds, and `le`, which histograms have. */
const commonLabels = ['app', 'instance', 'job', 'le'];

function metricsIn(expr: string): string[] {
  const names = expr.match(/\bdaycare_[a-z_]+\b/g) ?? [];
  const isHistogram = (name: string): boolean => metrics.get(name)?.kind === 'histogram';
  return names.map((name) => {
    const base = name.replace(/_(bucket|sum|count)$/, '');
    return isHistogram(base) ? base : name;
  });
}

function labelsIn(expr: string): string[] {
  const inBraces = [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, text = '']) =>
    Array.from(text.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g), ([, label = '']) => label),
  );
  const grouped = [...expr.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)].flatMap(([, text = '']) =>
    text.split(',').map((label) => label.trim()),
  );
  return [...inBraces, ...grouped];
}

const hasPromtool = spawnSync('promtool', ['--version'], { stdio: 'ignore' }).status === 0;
const describePromtool = hasPromtool ? describe : describe.skip;

function promtool(...args: string[]): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: root, encoding: 'utf8' });
  return { code: status, output: stdout + stderr };
}

describe('alerts and dashboard', () => {
  it('every query names only metrics and labels that the services expose', () => {
    const exprs = [...rules.map(({ expr }) => expr), ...queries];
    expect(exprs.length).toBeGreaterThan(40);
    expect(exprs.flatMap(metricsIn).filter((name) => !metrics.has(name))).toEqual([]);
    for (const expr of exprs) {
      const listed = metricsIn(expr).flatMap((name) => metrics.get(name)?.labels ?? []);
      const unknown = labelsIn(expr).filter(
        (label) => ![...listed, ...commonLabels].includes(label),
      );
      expect({ expr, unknown }).toEqual({ expr, unknown: [] });
    }
  });

  it('the dashboard shows every metric, and every alert has a severity, a summary and a description', () => {
    const shown = new Set(queries.flatMap(metricsIn));
    expect([...metrics.keys()].filter((name) => !shown.has(name))).toEqual([]);
    for (const rule of rules)
      expect(rule).toMatchObject({
        alert: expect.stringMatching(/^Daycare[A-Z]/),
        labels: { severity: expect.stringMatching(/^(info|warning|critical)$/) },
        annotations: { summary: expect.any(String), description: expect.any(String) },
      });
  });
});

it('Compose runs Prometheus and Grafana only with the profile observability', () => {
  const { services } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), {
    merge: true,
  }) as { services: Record<string, { profiles?: string[] }> };
  const withProfile = Object.entries(services).filter(([, { profiles }]) => profiles);
  expect(withProfile.map(([name, { profiles }]) => [name, profiles])).toEqual([
    ['grafana', ['observability']],
    ['prometheus', ['observability']],
  ]);
});

describePromtool("promtool (needs Debian's prometheus)", () => {
  it('promtool accepts the alert rules, and their tests pass', () => {
    expect(promtool('check', 'rules', 'deploy/helm/daycare/files/alerts.yaml')).toMatchObject({
      code: 0,
    });
    expect(promtool('test', 'rules', 'deploy/helm/alerts.test.yaml')).toMatchObject({ code: 0 });
  });

  it('promtool accepts every dashboard query and refuses a broken one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'daycare-queries-'));
    const check = (exprs: readonly string[]) => {
      const file = join(folder, 'queries.yaml');
      const recorded = exprs.map((expr, index) => ({
        record: `query:${index}`,
        expr: expr.replaceAll('$__rate_interval', '5m'),
      }));
      writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules: recorded }] }));
      return promtool('check', 'rules', file);
    };
    expect(check(queries)).toMatchObject({ code: 0 });
    expect(check(['sum by (app (daycare_outbox_rows)']).code).not.toBe(0);
    rmSync(folder, { recursive: true });
  });
});
