import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findInvalidValues, findTypeErrors } from './check-objects';
import {
  findHelm,
  lint,
  render,
  root,
  template,
  valuesFiles,
  type KubeObject,
} from './render-chart';

const describeChart = findHelm() ? describe : describe.skip;

const cache = new Map<string, KubeObject[]>();
function renderOnce(valuesFile: string): KubeObject[] {
  const objects = cache.get(valuesFile) ?? render(valuesFile);
  cache.set(valuesFile, objects);
  return objects;
}

/** Values that the schema refuses, each with text that the error message must contain. */
const badValues: readonly (readonly [set: string, named: string])[] = [
  ['replicas=3', 'replicas'],
  ['apps.identity.replica=3', 'replica'],
  ['apps.identity.replicas=0', 'apps.identity.replicas'],
  ['apps.agent-runtime.replicas=65', 'apps.agent-runtime.replicas'],
  ['apps.agent-runtime.env.DAYCARE_MODLE=x', 'DAYCARE_MODLE'],
  ['apps.agent-runtime.env.DAYCARE_MAX_TURNS=0', 'DAYCARE_MAX_TURNS'],
  ['apps.agent-runtime.env.DAYCARE_MAX_TURNS=many', 'DAYCARE_MAX_TURNS'],
  ['apps.agent-runtime.env.DAYCARE_EXEC_ENABLED=yes', 'DAYCARE_EXEC_ENABLED'],
  ['apps.identity.env.DAYCARE_MAX_TURNS=8', 'DAYCARE_MAX_TURNS'],
  ['apps.identity.env.DAYCARE_LOG_LEVEL=loud', 'DAYCARE_LOG_LEVEL'],
  ['apps.identity.env.DAYCARE_MONGO_URL=mongodb://in-the-clear', 'DAYCARE_MONGO_URL'],
  ['apps.identity.env.DAYCARE_LISTEN=0.0.0.0:1', 'DAYCARE_LISTEN'],
  ['apps.agent-runtime.env.ANTHROPIC_API_KEY=sk-in-the-clear', 'ANTHROPIC_API_KEY'],
  ['apps.agent-runtime.secretEnv.OPENAI_API_KEY.name=keys', 'key is required'],
  ['apps.social-graph.autoscaling.inboxAgeSeconds=5', 'inboxAgeSeconds'],
  ['tls.mode=on', 'tls.mode'],
  ['tls.clients=maybe', 'tls.clients'],
  ['nats.replicas=7', 'nats.replicas'],
  ['users.accessMode=ReadOnlyMany', 'users.accessMode'],
  ['users.size=20', 'users.size'],
  ['mongo.port=0', 'mongo.port'],
  ['mongo.cidrs={10.0.0.1}', 'mongo.cidrs'],
  ['nats.cidrs={10.0.0.0/33}', 'nats.cidrs'],
  ['image.pullPolicy=Sometimes', 'image.pullPolicy'],
  ['trustedProxies.ingress={everybody}', 'trustedProxies.ingress'],
  ['apps.gateway.env.DAYCARE_TRUSTED_PROXIES=10.0.0.0/8', 'DAYCARE_TRUSTED_PROXIES'],
  ['podDefaults.terminationGracePeriodSeconds=5', 'terminationGracePeriodSeconds'],
  ['observability.otlpEndpoint=collector:4317', 'otlpEndpoint'],
];

/** Settings that are valid on their own, but not together with the values file. */
const contradictions: readonly (readonly [valuesFile: string, set: string, message: string])[] = [
  ['trial', 'apps.agent-runtime.replicas=2', 'users.accessMode must be ReadWriteMany'],
  ['trial', 'apps.topology.autoscaling.enabled=true', 'users.accessMode must be ReadWriteMany'],
  ['trial', 'secrets.name=', 'secrets.name is required'],
  ['trial', 'nats.replicas=3', 'nats.replicas must be 0 or 1 with nats.bundled'],
  ['trial', 'edge.ingress.enabled=true', 'edge.ingress.enabled needs edge.enabled'],
  ['trial', 'gateway.ingress.enabled=true', 'gateway.ingress.host is required'],
  ['external', 'trustedProxies.ingress=null', 'trustedProxies.ingress is required'],
  ['external', 'trustedProxies.gateway=null', 'trustedProxies.gateway is required'],
  ['external', 'apps.agent-runtime.autoscaling.minReplicas=20', 'is greater than maxReplicas'],
  ['tls-secrets', 'tls.secretNames.topology=', 'tls.secretNames.topology is required'],
];

describeChart('the Helm chart (needs helm, from npm or the PATH)', () => {
  it.each(valuesFiles)('the chart passes helm lint with the %s values', (valuesFile) => {
    expect(lint(valuesFile)).toMatchObject({ code: 0 });
  });

  it('every object rendered from any values file is valid and has no field that is unknown to Kubernetes', () => {
    const objects = valuesFiles.flatMap(renderOnce);
    expect(objects.length).toBeGreaterThan(150);
    expect(findTypeErrors(objects)).toEqual([]);
    expect(findInvalidValues(objects)).toEqual([]);
  });

  it('the check for unknown fields finds one in every kind of object that the chart has', () => {
    const oneOfEachKind = new Map(
      valuesFiles.flatMap(renderOnce).map((object) => [object.kind, object]),
    );
    const broken = [...oneOfEachKind.values()].map((object) =>
      object.spec ? { ...object, spec: { ...object.spec, unknwon: 1 } } : { ...object, unknwon: 1 },
    );
    const errors = findTypeErrors(broken);
    expect(errors.filter((line) => line.includes('unknwon'))).toHaveLength(broken.length);
    expect(broken.length).toBeGreaterThan(12);
  });

  it.each(badValues)('the schema refuses %s', (set, named) => {
    const { code, stderr } = template('external', '--set', set);
    expect(code).not.toBe(0);
    expect(stderr).toContain("values don't meet the specifications of the schema");
    expect(stderr).toContain(named);
  });

  it.each(contradictions)('with the %s values, the chart refuses %s', (file, set, message) => {
    const { code, stderr } = template(file, '--set', set);
    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
  });

  it('the bundled NATS has the same accounts as the NATS in Compose', () => {
    const [ours, theirs] = ['deploy/helm/daycare/files/nats', 'deploy/nats'].map((folder) =>
      readFileSync(join(root, folder, 'accounts.conf'), 'utf8'),
    );
    expect(ours).toBe(theirs);
  });
});
