import { describe, expect, it } from '@jest/globals';
import { createCredentials } from '../credentials/credentials';
import { serviceNames, type AppName } from '../services/service-catalog';
import { buildServerEnv, buildServiceEnv } from './service-env';

const credentials = createCredentials();
const operatorSecrets = {
  DAYCARE_CREDENTIALS: 'a',
  DAYCARE_CREDENTIALS_FILE: 'b',
  DAYCARE_SERVICE_CREDENTIAL: 'c',
  DAYCARE_SERVICE_CREDENTIAL_FILE: 'd',
  DAYCARE_GATEWAY_SESSION_KEY: 'e',
};
const modelKeys = {
  ANTHROPIC_API_KEY: 'a',
  OPENAI_API_KEY_FILE: 'b',
  GOOGLE_GENERATIVE_AI_API_KEY: 'c',
  DAYCARE_GROQ_API_KEY: 'd',
  DAYCARE_VAULT_KEY: 'e',
  DAYCARE_VAULT_KEY_FILE: 'f',
};

function build(
  name: AppName,
  more: NodeJS.ProcessEnv = {},
  vaultKey = '',
  gateway?: string,
): NodeJS.ProcessEnv {
  return buildServiceEnv({
    name,
    credentials,
    vaultKey,
    base: {
      ...operatorSecrets,
      ...more,
      DAYCARE_LOG_LEVEL: 'debug',
      DAYCARE_MONGO_DATABASE: 'one',
    },
    listen: '127.0.0.1:1',
    httpListen: '127.0.0.1:2',
    mongoUrl: 'mongodb://h',
    natsUrl: 'nats://h',
    peers: { identity: '127.0.0.1:3', 'social-graph': '127.0.0.1:4', ...(gateway && { gateway }) },
    usersDir: '/data/users',
    shutdownTimeoutMs: 5,
  });
}

describe('buildServiceEnv', () => {
  it('passes on the launcher’s settings and all addresses, but no database name', () => {
    expect(build('topology')).toEqual({
      DAYCARE_REFLECTION: 'on',
      DAYCARE_USERS_DIR: '/data/users',
      DAYCARE_LOG_LEVEL: 'debug',
      DAYCARE_LISTEN: '127.0.0.1:1',
      DAYCARE_HTTP_LISTEN: '127.0.0.1:2',
      DAYCARE_MONGO_URL: 'mongodb://h',
      DAYCARE_NATS_URL: 'nats://h',
      DAYCARE_SHUTDOWN_TIMEOUT_MS: '5',
      DAYCARE_IDENTITY_ADDRESS: '127.0.0.1:3',
      DAYCARE_SOCIAL_GRAPH_ADDRESS: '127.0.0.1:4',
      DAYCARE_SERVICE_CREDENTIAL: credentials.services.topology,
    });
  });

  it('sets the address of topology’s edge unless the launcher’s environment does', () => {
    const options = { name: 'topology', credentials, listen: '', httpListen: '' } as const;
    const servers = { mongoUrl: '', natsUrl: '', peers: {}, usersDir: '', shutdownTimeoutMs: 5 };
    const listen = (base: NodeJS.ProcessEnv) =>
      buildServiceEnv({ ...options, ...servers, base, edgeListen: '127.0.0.1:8090' })[
        'DAYCARE_EDGE_LISTEN'
      ];
    expect(listen({})).toBe('127.0.0.1:8090');
    expect(listen({ DAYCARE_EDGE_LISTEN: '0.0.0.0:80' })).toBe('0.0.0.0:80');
  });

  it.each(serviceNames)('gives %s only the credentials that it needs', (name) => {
    const secrets = Object.entries(build(name)).filter(([key]) => key.includes('CREDENTIAL'));
    expect(secrets).toEqual([
      name === 'identity'
        ? ['DAYCARE_CREDENTIALS', JSON.stringify(credentials)]
        : ['DAYCARE_SERVICE_CREDENTIAL', credentials.services[name]],
    ]);
  });

  it.each([
    ['the sign-in providers', 'identity', 'DAYCARE_OIDC_PROVIDERS'],
    ['the key of webhooks’ secrets', 'topology', 'DAYCARE_EDGE_SECRET_KEY'],
  ])('gives %s only to %s', (_, owner, variable) => {
    const secrets = { [variable]: 'secret', [`${variable}_FILE`]: '/file' };
    for (const name of serviceNames) {
      const env = build(name, secrets);
      const given = Object.keys(secrets).filter((key) => key in env);
      expect([name, given]).toEqual([name, name === owner ? Object.keys(secrets) : []]);
    }
    expect(buildServerEnv(secrets)).toEqual({});
  });

  it.each([
    ['127.0.0.1:5', '127.0.0.1'],
    ['ipv4:10.0.0.1:5,10.0.0.2:5,10.0.0.2:6', '10.0.0.1,10.0.0.2'],
  ])('lets services trust the gateways at %s', (gateway, trusted) => {
    expect(build('identity', {}, '', gateway)['DAYCARE_TRUSTED_PROXIES']).toBe(trusted);
    expect(build('gateway', {}, '', gateway)['DAYCARE_TRUSTED_PROXIES']).toBeUndefined();
  });

  it('gives the gateway the same key for its cookies on every start, without the admin secret, and does not pass the key on to topology', () => {
    const [first, second] = [build('gateway'), build('gateway')];
    const key = first['DAYCARE_GATEWAY_SESSION_KEY'];
    expect(key).toHaveLength(43);
    expect(second['DAYCARE_GATEWAY_SESSION_KEY']).toBe(key);
    expect(Object.values(first).join(' ')).not.toContain(credentials.admin);
    expect(build('topology', first)['DAYCARE_GATEWAY_SESSION_KEY']).toBeUndefined();
  });

  it.each(
    serviceNames.map(
      (name) => [name === 'agent-runtime' ? 'gives' : 'does not give', name] as const,
    ),
  )('%s %s the keys of model providers', (_, name) => {
    const env = build(name, modelKeys);
    const given = Object.keys(modelKeys).filter((key) => key in env);
    expect(given).toEqual(name === 'agent-runtime' ? Object.keys(modelKeys) : []);
  });

  it('gives agent-runtime the stack’s vault key, unless the launcher’s environment has one', () => {
    const vaultKeyWith = (base: NodeJS.ProcessEnv) =>
      build('agent-runtime', base, 'of the stack')['DAYCARE_VAULT_KEY'];
    expect(vaultKeyWith({})).toBe('of the stack');
    expect(vaultKeyWith({ DAYCARE_VAULT_KEY: 'own' })).toBe('own');
    expect(vaultKeyWith({ DAYCARE_VAULT_KEY_FILE: '/own' })).toBeUndefined();
    expect(build('topology', {}, 'of the stack')['DAYCARE_VAULT_KEY']).toBeUndefined();
  });

  it('gives the servers neither the operator’s secrets nor the keys of model providers', () => {
    const env = { ...operatorSecrets, ...modelKeys, PATH: '/bin' };
    expect(buildServerEnv(env)).toEqual({ PATH: '/bin' });
  });
});
