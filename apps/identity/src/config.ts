import {
  readMongoConfig,
  readNatsConfig,
  readServiceConfig,
  type EnvReader,
  type MongoConfig,
  type NatsConfig,
  type ServiceConfig,
} from '@daycare/service-kit';
import { maxLivingSubusers } from './domain/subuser-limits';
import { parseCredentials, type Credentials } from './domain/credentials';
import { parseOidcProviders, type OidcProvider } from './domain/sign-in/oidc-provider';

export interface Config extends ServiceConfig, MongoConfig, NatsConfig {
  readonly credentials: Credentials;
  /** The providers through which people can sign in with an existing account. */
  readonly oidcProviders: readonly OidcProvider[];
  readonly accessTokenMs: number;
  readonly refreshTokenMs: number;
  /** How long a user's session can last at most, however often it is refreshed. */
  readonly sessionMs: number;
  /** The same for operators' sessions. */
  readonly adminSessionMs: number;
  readonly rotateKeysMs: number;
  /** How long a key is published before it is used to sign. */
  readonly announceKeysMs: number;
  /** How many subusers an owner may have. */
  readonly maxSubusers: number;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

export function readConfig(env: EnvReader): Config {
  const lifetime = { min: 1_000, max: 365 * dayMs };
  return env.done({
    ...readServiceConfig(env),
    ...readMongoConfig(env, 'identity'),
    ...readNatsConfig(env),
    credentials: env.parsedSecret('DAYCARE_CREDENTIALS', {
      parse: parseCredentials,
      takes: 'JSON: { "admin": …, "services": { … }, "clients": { … } }',
      about:
        'the secrets of operators, services and clients (programs that request tokens for users)',
    }),
    oidcProviders: env.parsedSecret('DAYCARE_OIDC_PROVIDERS', {
      parse: parseOidcProviders,
      default: '{}',
      takes: 'JSON; see signing-in.md',
      about: 'the providers through which people can sign in with an existing account',
    }),
    accessTokenMs: env.integer('DAYCARE_ACCESS_TOKEN_MS', {
      default: 15 * minuteMs,
      ...lifetime,
      about: 'how long an access token is valid',
    }),
    refreshTokenMs: env.integer('DAYCARE_REFRESH_TOKEN_MS', {
      default: 30 * dayMs,
      ...lifetime,
      about: 'how long a refresh token is valid',
    }),
    sessionMs: env.integer('DAYCARE_SESSION_MS', {
      default: 90 * dayMs,
      ...lifetime,
      about: "how long a user's session can last at most, however often it is refreshed",
    }),
    adminSessionMs: env.integer('DAYCARE_ADMIN_SESSION_MS', {
      default: dayMs / 2,
      ...lifetime,
      about: "how long an operator's session can last at most, however often it is refreshed",
    }),
    rotateKeysMs: env.integer('DAYCARE_ROTATE_KEYS_MS', {
      default: 30 * dayMs,
      ...lifetime,
      about: 'how often the signing key is replaced',
    }),
    announceKeysMs: env.integer('DAYCARE_ANNOUNCE_KEYS_MS', {
      default: 30_000,
      min: 200,
      max: dayMs,
      about: 'how long a key is published before it is used to sign',
    }),
    maxSubusers: env.integer('DAYCARE_MAX_SUBUSERS', {
      default: 100,
      min: 1,
      max: maxLivingSubusers,
      about: 'how many subusers an owner may have',
    }),
  });
}
