import { retryableMethods } from '@daycare/contracts/retryable-methods';

/**
 * The gRPC service config of a client: it spreads calls over replicas and, while the peer is unavailable,
 * retries the methods that the contract marks as idempotent, unless the caller does that itself.
 */
export function serviceConfigFor(serviceName: string, isRetried = true): string {
  const methods = retriedMethods(serviceName, isRetried);
  return JSON.stringify({
    loadBalancingConfig: [{ round_robin: {} }],
    methodConfig: methods.length === 0 ? [] : [retryConfig(serviceName, methods)],
  });
}

/** The methods that are retried. */
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
