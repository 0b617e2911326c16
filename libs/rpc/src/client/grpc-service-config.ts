import { retryableMethods } from '@daycare/contracts/retryable-methods';

/**
 * Returns a client's gRPC service config, which spreads calls over replicas. If `isRetried`, a call that fails because
 * the peer is unavailable is retried, provided that the contract marks its method as retryable.
 */
export function serviceConfigFor(serviceName: string, isRetried = true): string {
  const methods = retriedMethods(serviceName, isRetried);
  return JSON.stringify({
    loadBalancingConfig: [{ round_robin: {} }],
    methodConfig: methods.length === 0 ? [] : [retryConfig(serviceName, methods)],
  });
}

/** Returns the methods that are retried. */
export function retriedMethods(serviceName: string, isRetried = true): readonly string[] {
  return isRetried ? retryableMethods(serviceName) : [];
}

function retryConfig(service: string, methods: readonly string[]) {
  return {
    name: methods.map((method) => ({ service, method })),
    retryPolicy: {
      maxAttempts: 5,
      initialBackoff: '0.1s',
      maxBackoff: '1s',
      backoffMultiplier: 2,
      retryableStatusCodes: ['UNAVAILABLE'],
    },
  };
}
