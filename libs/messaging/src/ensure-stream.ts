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

const streamExistsOtherwise = 10_058;
/** Short, because a request that was under way when the connection broke waits all this time. */
const requestTimeoutMs = 2_000;

/**
 * Creates the stream or brings its settings up to date. Any number of replicas may call this at
 * once and at any time, also when NATS has lost the stream.
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
 * A message has a subject of its own and a subject holds one message, so NATS refuses a further copy
 * of what still waits: however long consumers are away, republishing never fills the stream. What
 * does not fit is refused rather than pushing older messages out, because a refusal reaches the relay.
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
