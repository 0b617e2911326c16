import { describe, expect, it } from '@jest/globals';
import { describeUnknownVariable, editDistance, findUnknownVariables } from './unknown-variables';

const describeAll = (env: Record<string, string>): string[] =>
  findUnknownVariables(env).map(describeUnknownVariable);

describe('findUnknownVariables', () => {
  it.each([
    ['DAYCARE_MODLE', 'DAYCARE_MODEL'],
    ['DAYCARE_MONGOURL', 'DAYCARE_MONGO_URL'],
    ['DAYCARE_MAX_TURN', 'DAYCARE_MAX_TURNS'],
    ['DAYCARE_GATEWAY_ORIGIN', 'DAYCARE_GATEWAY_ORIGINS'],
    ['DAYCARE_VAULTKEY_FILE', 'DAYCARE_VAULT_KEY_FILE'],
  ])('suggests the nearest name for %s', (name, nearest) => {
    expect(describeAll({ [name]: 'x' })).toEqual([
      `${name} is set, but there is no such variable; did you mean ${nearest}?`,
    ]);
  });

  it('suggests nothing for a name that resembles no known variable', () => {
    expect(describeAll({ DAYCARE_COLOUR_OF_THE_SKY: 'x' })).toEqual([
      'DAYCARE_COLOUR_OF_THE_SKY is set, but there is no such variable; remove it',
    ]);
  });

  it("accepts every app's variables with or without `_FILE`, empty variables, and other programs' variables", () => {
    const env = {
      DAYCARE_MODEL: 'local/echo',
      DAYCARE_EDGE_LISTEN: '127.0.0.1:8090',
      DAYCARE_MONGO_URL_FILE: '/run/secrets/mongo-url',
      DAYCARE_IDENTITY_PORT: '50051',
      DAYCARE_NONSENSE: '',
      PATH: '/usr/bin',
    };
    expect(findUnknownVariables(env)).toEqual([]);
  });

  it('if DAYCARE_PROVIDERS is set, accepts only the API keys of the providers in it', () => {
    const env = {
      DAYCARE_PROVIDERS: 'groq=https://groq.example, my-gateway=https://own.example',
      DAYCARE_GROQ_API_KEY: 'k',
      DAYCARE_MY_GATEWAY_API_KEY_FILE: '/run/secrets/key',
      DAYCARE_MISTRAL_API_KEY: 'k',
    };
    expect(findUnknownVariables(env).map(({ name }) => name)).toEqual(['DAYCARE_MISTRAL_API_KEY']);
  });

  it('without DAYCARE_PROVIDERS, accepts any provider key that is not a likely misspelling, and variables that Kubernetes sets', () => {
    const env = {
      DAYCARE_GROQ_API_KEY: 'k',
      DAYCARE_ANTHROPC_API_KEY: 'k',
      DAYCARE_IDENTITY_SERVICE_HOST: '10.0.0.1',
      DAYCARE_IDENTITY_SERVICE_PORT_GRPC: '50051',
      DAYCARE_NATS_PORT: 'tcp://10.0.0.2:4222',
      DAYCARE_NATS_PORT_4222_TCP_ADDR: '10.0.0.2',
    };
    expect(findUnknownVariables(env)).toEqual([
      { name: 'DAYCARE_ANTHROPC_API_KEY', suggestion: 'DAYCARE_ANTHROPIC_API_KEY' },
    ]);
  });
});

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['model', 'modle', 1],
    ['model', 'mode', 1],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
  ])('the distance between "%s" and "%s" is %d', (from, to, distance) => {
    expect(editDistance(from, to)).toBe(distance);
    expect(editDistance(to, from)).toBe(distance);
  });
});
