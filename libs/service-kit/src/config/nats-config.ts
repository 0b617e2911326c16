import { readFileSync } from 'node:fs';
import { toConnectionOptions, type NatsTls, type StreamPlacement } from '@daycare/messaging';
import type { EnvReader } from './env-reader';

/** Where a service publishes and consumes system messages, and with which credentials. */
export interface NatsConfig {
  readonly natsUrl: string;
  readonly natsPrefix: string;
  readonly natsTls?: NatsTls;
  /** The contents of a credentials file. */
  readonly natsCreds?: Buffer;
  /** The seed of an nkey. */
  readonly natsNkeySeed?: Buffer;
  /** How many servers store a service's stream; by default three in a cluster, otherwise one. */
  readonly natsReplicas?: number;
  readonly natsPlacement?: StreamPlacement;
  /** How long a stream may be unreachable, while JetStream responds, before it is recreated. */
  readonly natsRecreateAfterMs: number;
  /** How long a published message waits for its receipt before it is published again. */
  readonly republishAfterMs: number;
}

const urlName = 'DAYCARE_NATS_URL';
const certName = 'DAYCARE_NATS_CERT_FILE';
const keyName = 'DAYCARE_NATS_KEY_FILE';
const dayMs = 86_400_000;

export function readNatsConfig(env: EnvReader): NatsConfig {
  const replicas = env.integer('DAYCARE_NATS_REPLICAS', {
    default: 0,
    min: 0,
    max: 5,
    about:
      "how many servers store the service's stream; existing copies are never removed; 0 means 3 in a cluster, and 1 otherwise",
  });
  const files = {
    natsTls: readTls(env),
    natsCreds: readFile(
      env,
      'DAYCARE_NATS_CREDS_FILE',
      'a credentials file, for NATS servers in operator mode, instead of a user in the URL',
    ),
    natsNkeySeed: readFile(
      env,
      'DAYCARE_NATS_NKEY_FILE',
      'the seed of an nkey, instead of a user in the URL',
    ),
    natsPlacement: readPlacement(env),
  };
  const config = {
    natsUrl: env.url(urlName, {
      schemes: ['nats', 'tls'],
      about:
        'one or more servers, separated by commas; `tls://` requires TLS; user and password apply to all of them',
    }),
    natsPrefix: env.text('DAYCARE_NATS_PREFIX', {
      default: 'daycare',
      about: 'the first part of all subjects and stream names',
    }),
    ...(Object.fromEntries(
      Object.entries(files).filter(([, value]) => value !== undefined),
    ) as Partial<NatsConfig>),
    ...(replicas > 0 ? { natsReplicas: replicas } : {}),
    natsRecreateAfterMs: env.integer('DAYCARE_NATS_RECREATE_AFTER_MS', {
      default: 120_000,
      min: 1_000,
      max: dayMs,
      about:
        'how long a stream may be unreachable, while JetStream responds, before it counts as lost and is recreated',
    }),
    republishAfterMs: env.integer('DAYCARE_REPUBLISH_AFTER_MS', {
      default: 15_000,
      min: 200,
      max: dayMs,
      about: 'how long a message waits for its receipt before it is published again',
    }),
  };
  checkAddress(env, config);
  return config;
}

/** Reports settings that contradict each other before anything connects. */
function checkAddress(env: EnvReader, config: NatsConfig): void {
  if (!config.natsUrl) return;
  try {
    toConnectionOptions({ ...natsAddressOf(config), name: 'any' });
  } catch (error) {
    env.problem(`${urlName} cannot be used: ${(error as Error).message}`);
  }
}

/** Returns what `connectNats` needs from a configuration. */
export function natsAddressOf({ natsUrl, natsTls, natsCreds, natsNkeySeed }: NatsConfig) {
  return {
    url: natsUrl,
    ...(natsTls ? { tls: natsTls } : {}),
    ...(natsCreds ? { creds: natsCreds } : {}),
    ...(natsNkeySeed ? { nkeySeed: natsNkeySeed } : {}),
  };
}

function readTls(env: EnvReader): NatsTls | undefined {
  const ca = readFile(
    env,
    'DAYCARE_NATS_CA_FILE',
    "PEM: the CA that issues the servers' certificates, instead of the system's CAs",
  );
  const cert = readFile(env, certName, 'PEM: the certificate that the service presents');
  const key = readFile(env, keyName, 'PEM: its private key');
  if (env.isSet(certName) !== env.isSet(keyName))
    env.problem(`${certName} and ${keyName} must be set together`);
  if (!ca && !cert && !key) return undefined;
  return { ...(ca ? { ca } : {}), ...(cert ? { cert } : {}), ...(key ? { key } : {}) };
}

function readPlacement(env: EnvReader): StreamPlacement | undefined {
  const cluster = env.text('DAYCARE_NATS_PLACEMENT_CLUSTER', {
    default: '',
    about: 'the cluster whose servers store the stream',
  });
  const tags = env
    .text('DAYCARE_NATS_PLACEMENT_TAGS', {
      default: '',
      takes: 'tags separated by commas',
      about: 'the tags of the servers that store the stream',
    })
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);
  if (cluster === '' && tags.length === 0) return undefined;
  return { ...(cluster ? { cluster } : {}), ...(tags.length > 0 ? { tags } : {}) };
}

function readFile(env: EnvReader, name: string, about: string): Buffer | undefined {
  const path = env.path(name, { about });
  if (path === '') return undefined;
  try {
    return readFileSync(path);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    env.problem(`${name} is "${path}", which cannot be read: ${reason}`);
    return undefined;
  }
}
