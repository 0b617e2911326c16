/**
 * Renders values.schema.json of the Helm chart. Each app's variables come from the code, so that `helm install` refuses
 * unknown names, numbers outside a variable's limits, and words that a variable does not take. The app checks
 * everything else when it starts.
 */
import { services } from './apps.mjs';

/** Variables that templates/_pod.tpl sets from other values. */
export const setByChart = [
  'DAYCARE_LISTEN',
  'DAYCARE_HTTP_LISTEN',
  'DAYCARE_SHUTDOWN_TIMEOUT_MS',
  'DAYCARE_TLS',
  'DAYCARE_TLS_CERT_FILE',
  'DAYCARE_TLS_KEY_FILE',
  'DAYCARE_TLS_CA_FILE',
  'DAYCARE_TLS_CLIENTS',
  'DAYCARE_IDENTITY_ADDRESS',
  'DAYCARE_SOCIAL_GRAPH_ADDRESS',
  'DAYCARE_AGENT_RUNTIME_ADDRESS',
  'DAYCARE_TOPOLOGY_ADDRESS',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'DAYCARE_GATEWAY_SESSION_KEY',
  'DAYCARE_GATEWAY_URL',
  'DAYCARE_MONGO_URL',
  'DAYCARE_NATS_URL',
  'DAYCARE_NATS_REPLICAS',
  'DAYCARE_NATS_CA_FILE',
  'DAYCARE_CREDENTIALS',
  'DAYCARE_SERVICE_CREDENTIAL',
  'DAYCARE_VAULT_KEY',
  'DAYCARE_USERS_DIR',
  'DAYCARE_EDGE_LISTEN',
  'DAYCARE_EDGE_URL',
  'DAYCARE_EDGE_TRUSTED_PROXIES',
  'DAYCARE_TRUSTED_PROXIES',
];

/** Variables with the paths of files for which the chart has no volumes, so the chart does not accept them. */
export const notInChart = [
  'DAYCARE_NATS_CERT_FILE',
  'DAYCARE_NATS_KEY_FILE',
  'DAYCARE_NATS_CREDS_FILE',
  'DAYCARE_NATS_NKEY_FILE',
  'DAYCARE_GATEWAY_TLS_CERT_FILE',
  'DAYCARE_GATEWAY_TLS_KEY_FILE',
];

const object = (properties, more = {}) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...more,
});
const text = { type: 'string' };
const flag = { type: 'boolean' };
const stringList = { type: 'array', items: { type: 'string', minLength: 1 } };
const oneOf = (...values) => ({ type: 'string', enum: values });
const integer = (minimum, maximum) => ({ type: 'integer', minimum, maximum });
const matching = (pattern) => ({ type: 'string', pattern });
const labels = { type: 'object', additionalProperties: { type: 'string' } };
const name = matching('^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$');
const quantity = matching('^[0-9]+(Mi|Gi|Ti)$');
const duration = matching('^[0-9]+(h|m|s)$');
const cidrs = {
  type: 'array',
  items: matching(
    '^([0-9]{1,3}(\\.[0-9]{1,3}){3}/([0-9]|[12][0-9]|3[0-2])|[0-9a-fA-F:]*:[0-9a-fA-F:.]*/([0-9]|[1-9][0-9]|1[01][0-9]|12[0-8]))$',
  ),
};
const image = matching('^[a-z0-9][\\w./:-]*:[\\w.-]+(@sha256:[0-9a-f]{64})?$');
const host = matching('^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$');
const anything = { type: 'object' };

/** agent-runtime divides its agents into 64 shards, so further replicas would have nothing to do. */
const maxReplicas = { 'agent-runtime': 64 };

/** @param {Map<string, import('./reference.mjs').Variable[]>} variables */
export function renderChartSchema(variables) {
  return `${JSON.stringify(schemaFor(variables), null, 2)}\n`;
}

function schemaFor(variables) {
  const apps = services.map((app) => [app, appSchema(app, variables.get(app))]);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the Daycare chart',
    ...object({
      nameOverride: name,
      fullnameOverride: name,
      global: anything,
      image: object({
        registry: text,
        repository: matching('^[a-z0-9][a-z0-9._/-]*$'),
        tag: text,
        pullPolicy: oneOf('Always', 'IfNotPresent', 'Never'),
        pullSecrets: stringList,
      }),
      secrets: object({ name, revision: text }),
      tls: tlsSchema(),
      mongo: serverSchema({}),
      nats: serverSchema({ tlsSecret: name, replicas: integer(0, 5) }),
      users: object({
        enabled: flag,
        size: quantity,
        storageClass: text,
        accessMode: oneOf('ReadWriteMany', 'ReadWriteOnce'),
        existingClaim: name,
      }),
      networkPolicy: object({
        enabled: flag,
        clients: { type: 'array', items: anything },
        monitoring: { type: 'array', minItems: 1, items: anything },
        internetCidrs: cidrs,
      }),
      observability: observabilitySchema(),
      podDefaults: object({
        nodeSelector: labels,
        tolerations: { type: 'array', items: anything },
        // Calls in progress must end within ten seconds less than this.
        terminationGracePeriodSeconds: integer(15, 610),
      }),
      apps: object(Object.fromEntries(apps)),
      trustedProxies: object({ ingress: cidrs, gateway: cidrs }),
      gateway: object({ ingress: ingressSchema() }),
      edge: object({ enabled: flag, ingress: ingressSchema() }),
      tests: object({ demo: flag }),
    }),
  };
}

function tlsSchema() {
  return object({
    mode: oneOf('certManager', 'secrets', 'off'),
    clients: oneOf('require', 'any'),
    certManager: object({
      issuer: object({ name, kind: oneOf('Issuer', 'ClusterIssuer') }),
      duration,
    }),
    secretNames: object(Object.fromEntries([...services, 'test'].map((app) => [app, name]))),
  });
}

function serverSchema(more) {
  return object({
    bundled: flag,
    image,
    storage: quantity,
    storageClass: text,
    cidrs,
    port: integer(1, 65_535),
    ...more,
  });
}

function observabilitySchema() {
  return object({
    otlpEndpoint: matching('^(https?://.+)?$'),
    serviceMonitor: object({ enabled: flag, interval: duration, labels }),
    prometheusRule: object({ enabled: flag, labels }),
    dashboards: object({ enabled: flag, labels }),
  });
}

function ingressSchema() {
  return object({ enabled: flag, className: text, host, tlsSecret: name, annotations: labels });
}

function appSchema(app, variables) {
  const limit = maxReplicas[app] ?? 100;
  const measure =
    app === 'agent-runtime'
      ? { inboxAgeSeconds: integer(1, 3_600) }
      : { cpuPercent: integer(1, 100) };
  const offered = variables.filter(
    ({ name: each }) => !setByChart.includes(each) && !notInChart.includes(each),
  );
  const notSecret = offered.filter(({ isSecret }) => !isSecret);
  return object({
    replicas: integer(1, limit),
    resources: anything,
    autoscaling: object({
      enabled: flag,
      minReplicas: integer(1, limit),
      maxReplicas: integer(1, limit),
      ...measure,
    }),
    env: object(entriesOf(notSecret, variableSchema)),
    secretEnv: object(
      entriesOf(
        offered.filter(({ isSecret }) => isSecret),
        ({ about }) => ({
          description: about,
          ...object({ name: { ...name, minLength: 1 }, key: { ...text, minLength: 1 } }),
          required: ['name', 'key'],
        }),
      ),
      // The API keys of the model providers in DAYCARE_PROVIDERS, whose names are not known here.
      app === 'agent-runtime'
        ? {
            patternProperties: {
              '^DAYCARE_[A-Z0-9_]+_API_KEY$': {
                ...object({ name: { ...name, minLength: 1 }, key: { ...text, minLength: 1 } }),
                required: ['name', 'key'],
              },
            },
          }
        : {},
    ),
  });
}

function entriesOf(variables, toSchema) {
  return Object.fromEntries(variables.map((each) => [each.name, toSchema(each)]));
}

function variableSchema({ about: description, min, max, choices }) {
  if (min !== undefined) return { description, ...integer(min, max) };
  if (choices) return { description, ...oneOf(...choices.filter(Boolean)) };
  return { description, type: 'string', minLength: 1 };
}
