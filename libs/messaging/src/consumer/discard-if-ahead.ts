import type { ConsumerInfo } from 'nats';
import { manageJetStream } from '../nats/ensure-stream';
import type { NatsLink } from '../nats/nats-link';

/**
 * Deletes a durable that is ahead of its stream; returns whether it was. A durable that is created right after its
 * stream was deleted may find the files of the previous one: it would skip messages until the stream has caught up,
 * and NATS refuses copies of what it still has. `info` must have been read before the call.
 */
export async function discardIfAhead(
  connection: NatsLink,
  { stream_name: stream, name, delivered }: ConsumerInfo,
): Promise<boolean> {
  const { streams, consumers } = await manageJetStream(connection);
  const { state } = await streams.info(stream);
  if (delivered.stream_seq <= state.last_seq) return false;
  await consumers.delete(stream, name);
  return true;
}
