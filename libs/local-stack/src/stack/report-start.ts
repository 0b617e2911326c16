import type { InfraAddress } from '../infra/start-infra';
import type { PartName, StackListener } from './stack-event';

/** Starts a part; reports that it is starting and, later, that it is ready. */
export async function reportStart<T extends object>(
  part: PartName,
  start: () => Promise<T>,
  onEvent: StackListener,
): Promise<T> {
  const startedMs = performance.now();
  onEvent({ type: 'starting', part });
  const started = await start();
  const { version, external } = started as Partial<InfraAddress>;
  const facts = { ...(version && { version }), ...(external !== undefined && { external }) };
  onEvent({ type: 'ready', part, tookMs: performance.now() - startedMs, ...facts });
  return started;
}
