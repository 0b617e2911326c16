import type { DescMethod } from '@bufbuild/protobuf';
import type { CallOutcome } from '@daycare/rpc';
import { AppError, toAppError } from '@daycare/api';
import type { Upstream } from './upstreams';

export interface ForwardDeps {
  readonly upstream: Upstream;
  readonly observe: (outcome: CallOutcome) => void;
  /** Aborted when the gateway stops, so that open streams end. */
  readonly stopping: AbortSignal;
}

/** Measures a forwarded call; `end` records its outcome. */
export class ObservedCall {
  readonly #startedMs = performance.now();

  constructor(
    private readonly method: DescMethod,
    private readonly deps: Pick<ForwardDeps, 'observe'>,
  ) {}

  end(code: string): void {
    const { parent, name: method } = this.method;
    const durationMs = performance.now() - this.#startedMs;
    this.deps.observe({ service: parent.typeName, method, code, durationMs });
  }
}

/** Returns why a forwarded stream failed: its call failed, or the gateway is stopping. */
export function streamFailure(thrown: unknown, stopping: AbortSignal): AppError {
  if (!stopping.aborted) return toAppError(thrown);
  return new AppError('UNAVAILABLE', 'This gateway is stopping; try again');
}
