import { startListener, type Listener } from '../stack/listener';
import { startTrappedService, type TrappedStack } from './trapped-service';

/** Identity, one process of social-graph that can be killed at an exact step, and a listener. */
export interface TrappedGraph extends TrappedStack {
  readonly listener: Listener;
}

export async function startTrappedGraph(): Promise<TrappedGraph> {
  const services = ['identity', 'social-graph'] as const;
  const trapped = await startTrappedService('social-graph', { services });
  const listener = await startListener(trapped.stack);
  return {
    ...trapped,
    listener,
    async stop() {
      await listener.stop();
      await trapped.stop();
    },
  };
}
