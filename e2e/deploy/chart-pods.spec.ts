import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findHelm, ofKind, render, root, valuesFiles, type KubeObject } from './render-chart';

const describeChart = findHelm() ? describe : describe.skip;
const apps = ['identity', 'social-graph', 'agent-runtime', 'topology', 'gateway'] as const;

interface Variable {
  readonly name: string;
  readonly isSecret: boolean;
}

const variablesOf = new Map(
  apps.map((app) => {
    const main = join(root, 'dist', app, 'main.js');
    const printed = execFileSync(process.execPath, [main, '--configuration'], { encoding: 'utf8' });
    return [app, JSON.parse(printed) as Variable[]];
  }),
);

// oxlint-disable-next-line typescript/no-explicit-any -- parts of objects whose types chart.spec.ts checks
type Part = any;

/** Returns the specs of all pods. */
function podsIn(objects: readonly KubeObject[]): Part[] {
  const templates = [...ofKind(objects, 'Deployment'), ...ofKind(objects, 'StatefulSet')];
  return [
    ...templates.map(({ spec }) => spec.template.spec),
    ...ofKind(objects, 'Pod').map(({ spec }) => spec),
  ];
}

function containerOf(app: string, objects: readonly KubeObject[]): Part {
  const deployment = ofKind(objects, 'Deployment').find(
    ({ metadata }) => metadata.name === `daycare-${app}`,
  );
  return deployment?.spec.template.spec.containers[0];
}

const envOf = (app: string, objects: readonly KubeObject[]): string[] =>
  containerOf(app, objects).env.map(({ name }: { name: string }) => name);

describeChart('the pods of the Helm chart (needs helm)', () => {
  const all = new Map((findHelm() ? valuesFiles : []).map((file) => [file, render(file)]));

  it('every pod meets the Pod Security level "restricted" and cannot write to its image', () => {
    const pods = [...all.values()].flatMap(podsIn);
    expect(pods.length).toBeGreaterThan(25);
    for (const { securityContext, containers, automountServiceAccountToken, hostNetwork } of pods) {
      expect({ automountServiceAccountToken, hostNetwork }).toEqual({
        automountServiceAccountToken: false,
      });
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      for (const container of containers)
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
    }
  });

  it.each(apps)(
    'the chart can set exactly the variables of %s, except the paths of files for which it has no volumes',
    (app) => {
      const variables = variablesOf.get(app)!.map(({ name }) => name);
      const schema = JSON.parse(
        readFileSync(join(root, 'deploy/helm/daycare/values.schema.json'), 'utf8'),
      ).properties.apps.properties[app].properties;
      const offered = [schema.env, schema.secretEnv].flatMap(({ properties }) =>
        Object.keys(properties),
      );
      const set = [...all.values()].flatMap((objects) => envOf(app, objects));
      // A secret is set as the path of its file.
      const toName = (name: string): string =>
        variables.includes(name) ? name : name.replace(/_FILE$/, '');
      const settable = new Set([...offered, ...set.map(toName)]);
      // The chart has no volumes for these files; docs/kubernetes.md says so.
      const files = /^DAYCARE_(NATS_(CERT|KEY|CREDS|NKEY)|GATEWAY_TLS_(CERT|KEY))_FILE$/;
      expect(variables.filter((name) => !settable.has(name) && !files.test(name))).toEqual([]);
      const isKnown = (name: string): boolean =>
        variables.includes(name) || name.endsWith('_API_KEY');
      expect([...settable].filter((name) => !isKnown(name))).toEqual([]);
    },
  );

  it('each app trusts the proxies in front of it: the gateway and the HTTP edge trust the ingress, and services trust the gateway', () => {
    const trusted = (file: string, variable = 'DAYCARE_TRUSTED_PROXIES') =>
      Object.fromEntries(
        apps.map((app) => [
          app,
          (containerOf(app, all.get(file)!).env as { name: string; value?: string }[]).find(
            ({ name }) => name === variable,
          )?.value,
        ]),
      );
    const behindGateway = { identity: '10.244.0.0/16', 'social-graph': '10.244.0.0/16' };
    expect(trusted('external')).toEqual({
      ...behindGateway,
      'agent-runtime': '10.244.0.0/16',
      topology: '10.244.0.0/16',
      gateway: '10.30.0.0/24',
    });
    expect(trusted('tls', 'DAYCARE_EDGE_TRUSTED_PROXIES')).toEqual({ topology: '10.30.0.0/24' });
    expect(trusted('trial')).toEqual({});
  });

  it('the network policies let an app call exactly the apps whose addresses it is configured with', () => {
    const policies = ofKind(all.get('external')!, 'NetworkPolicy');
    const find = (app: string): Part =>
      policies.find(({ metadata }) => metadata.name === `daycare-${app}`)?.spec;
    const component = (peer: Part): string =>
      peer.podSelector?.matchLabels['app.kubernetes.io/component'];
    const linked = (rules: Part[], side: 'from' | 'to'): string[] =>
      rules
        .flatMap((rule) => rule[side] ?? [])
        .map(component)
        .filter(Boolean)
        .sort();
    for (const app of apps) {
      const addressed = variablesOf
        .get(app)!
        .flatMap(({ name }) => /^DAYCARE_(.*)(?<!_PER)_ADDRESS$/.exec(name)?.[1] ?? [])
        .map((name) => name.toLowerCase().replaceAll('_', '-'));
      expect(linked(find(app).egress, 'to')).toEqual(addressed.sort());
      const callers = apps.filter((other) => linked(find(other).egress, 'to').includes(app));
      // The pod of `helm test` may call every app.
      expect(linked(find(app).ingress, 'from')).toEqual([...callers, 'test'].sort());
    }
    expect(find('default-deny')).toMatchObject({ policyTypes: ['Ingress', 'Egress'] });
    expect(find('default-deny')).not.toHaveProperty('ingress');
  });

  it('pods mount only files that deploy/create-secrets.mjs creates, and a file that belongs to one app is mounted in one pod', () => {
    const folder = mkdtempSync(join(tmpdir(), 'daycare-chart-'));
    try {
      execFileSync(process.execPath, [join(root, 'deploy/create-secrets.mjs')], { cwd: folder });
      const created = readdirSync(join(folder, 'secrets'));
      const items = podsIn(all.get('trial')!).map(({ volumes }) =>
        volumes.flatMap(({ secret }: Part) => secret?.items ?? []).map(({ key }: Part) => key),
      );
      expect(items.flat().filter((key) => !created.includes(key))).toEqual([]);
      const countPods = (key: string): number => items.filter((keys) => keys.includes(key)).length;
      const ofOneApp = [
        'vault-key',
        'credentials.json',
        'admin.header',
        'topology',
        'nats-identity',
      ];
      expect(ofOneApp.map(countPods)).toEqual(ofOneApp.map(() => 1));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
