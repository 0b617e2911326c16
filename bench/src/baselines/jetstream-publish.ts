import { connect } from 'nats';
import { uniqueName } from '@daycare/testing';
import type { BenchStack } from '../kit/bench-stack';
import type { Prepared, Probe } from '../kit/workload';

const messageBytes = 100;

/** One small message into a file-backed stream, acknowledged by the server. */
export const jetstreamPublish = {
  name: 'jetstream-publish',
  async prepare(stack: BenchStack): Promise<Prepared> {
    const connection = await connect({ servers: stack.natsUrl });
    const name = uniqueName('bench');
    const { streams } = await connection.jetstreamManager();
    await streams.add({ name, subjects: [`${name}.>`] });
    const jetstream = connection.jetstream();
    const message = new Uint8Array(messageBytes);
    return {
      run: () => jetstream.publish(`${name}.message`, message),
      async close() {
        await streams.delete(name);
        await connection.close();
      },
    };
  },
} as const satisfies Probe;
