import { randomUUID } from 'node:crypto';
import type { MessageGroup } from '@daycare/contracts/message-routes';
import {
  DiscardPolicy,
  nanos,
  NatsError,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
  type StreamConfig,
} from 'nats';
import type { NatsLink } from './nats-link';
import { streamNameOf, subjectsOfStream, type SystemStream } from './system-stream';

/** JetStream's error code for a stream that exists with another configuration. */
const streamConfigDiffers = 10_058;
/** Short, because a request that was in flight when the connection broke waits this long. */
export const requestTimeoutMs = 2_000;
/** The usual number of copies in a cluster, which survives the loss of one server. */
export const replicasInCluster = 3;

type Config = Partial<StreamConfig> & { readonly name: string };

const incarnationKey = 'incarnation';

/**
 * Creates a group's stream or updates its settings; returns its incarnation, which changes when the
 * stream is lost and recreated. A stream has no incarnation if an earlier version of Daycare created it or
 * NATS stores no metadata. Any number of replicas of the service that owns the stream may call this
 * concurrently and at any time, even after NATS has lost the stream.
 */
export async function ensureSystemStream(
  connection: NatsLink,
  stream: SystemStream,
  group: MessageGroup,
): Promise<string | undefined> {
  const { streams } = await manageJetStream(connection);
  const wanted = streamConfig(stream, group, connection.info?.cluster !== undefined);
  try {
    const metadata = { [incarnationKey]: randomUUID().slice(0, 8) };
    return incarnationOf((await streams.add({ ...wanted, metadata })).config);
  } catch (error) {
    if (jetStreamErrorCode(error) !== streamConfigDiffers) throw error;
    const { config } = await streams.info(wanted.name);
    const changed = requiredChanges(config, wanted);
    if (changed) await streams.update(wanted.name, { ...config, ...changed });
    return incarnationOf(config);
  }
}

/** Returns what distinguishes a stream from earlier ones with the same name. */
export function incarnationOf({ metadata }: Pick<StreamConfig, 'metadata'>): string | undefined {
  return metadata?.[incarnationKey];
}

export async function manageJetStream(connection: NatsLink): Promise<JetStreamManager> {
  return connection.jetstreamManager({ checkAPI: false, timeout: requestTimeoutMs });
}

export function jetStreamErrorCode(error: unknown): number | undefined {
  return error instanceof NatsError ? error.api_error?.err_code : undefined;
}

/**
 * Returns what has to change in an existing stream's configuration, or undefined if nothing has. Leaves extra
 * copies alone, and also a placement if none is configured, because those are an operator's decision.
 */
export function requiredChanges(
  config: StreamConfig,
  wanted: Config,
): Partial<StreamConfig> | undefined {
  const num_replicas = Math.max(config.num_replicas, wanted.num_replicas ?? 1);
  const entries = Object.entries({ ...wanted, num_replicas }).filter(
    ([key, value]) => JSON.stringify(config[key as keyof StreamConfig]) !== JSON.stringify(value),
  );
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/**
 * Each bundle, and each message that is published alone, has its own subject. A subject holds one message, so NATS
 * refuses a second copy while the first is in the stream. However long consumers are down, a message is therefore
 * stored at most twice, in its bundle and alone. A full stream refuses new messages instead of dropping old ones,
 * because the relay notices a refusal.
 */
function streamConfig(stream: SystemStream, group: MessageGroup, isClustered: boolean): Config {
  const { placement } = stream;
  return {
    name: streamNameOf(stream, group),
    subjects: subjectsOfStream(stream, group),
    storage: StorageType.File,
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
    discard_new_per_subject: true,
    max_msgs_per_subject: 1,
    max_bytes: stream.maxBytes,
    max_age: nanos(stream.maxAgeMs),
    duplicate_window: nanos(stream.duplicateWindowMs),
    num_replicas: stream.replicas ?? (isClustered ? replicasInCluster : 1),
    ...(placement
      ? { placement: { cluster: placement.cluster ?? '', tags: [...(placement.tags ?? [])] } }
      : {}),
  };
}
