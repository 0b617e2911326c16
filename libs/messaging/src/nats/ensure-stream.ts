import {
  DiscardPolicy,
  nanos,
  NatsError,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
  type NatsConnection,
  type StreamConfig,
} from 'nats';
import type { SystemStream } from './system-stream';

/** JetStream's error code for a stream that exists with another configuration. */
const streamExistsOtherwise = 10_058;
/** Short, because a request that was in flight when the connection broke waits this long. */
const requestTimeoutMs = 2_000;

/**
 * Creates the stream or updates its settings. Any number of replicas may call this concurrently and at
 * any time, also after NATS has lost the stream.
 */
export async function ensureSystemStream(
  connection: NatsConnection,
  stream: SystemStream,
): Promise<void> {
  const { streams } = await manageJetStream(connection);
  const config = streamConfig(stream);
  try {
    await streams.add(config);
  } catch (error) {
    if (jetStreamErrorCode(error) !== streamExistsOtherwise) throw error;
    await streams.update(stream.name, config);
  }
}

export async function manageJetStream(connection: NatsConnection): Promise<JetStreamManager> {
  return connection.jetstreamManager({ checkAPI: false, timeout: requestTimeoutMs });
}

export function jetStreamErrorCode(error: unknown): number | undefined {
  return error instanceof NatsError ? error.api_error?.err_code : undefined;
}

/**
 * Each message has its own subject and a subject holds one message, so NATS refuses a second copy of a
 * message that is still in the stream: however long consumers are down, republishing never fills it. A
 * full stream refuses new messages instead of dropping old ones, because the relay sees a refusal.
 */
function streamConfig(stream: SystemStream): Partial<StreamConfig> & { name: string } {
  return {
    name: stream.name,
    subjects: [`${stream.prefix}.system.>`],
    storage: StorageType.File,
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
    discard_new_per_subject: true,
    max_msgs_per_subject: 1,
    max_bytes: stream.maxBytes,
    max_age: nanos(stream.maxAgeMs),
    duplicate_window: nanos(stream.duplicateWindowMs),
    num_replicas: stream.replicas,
  };
}
