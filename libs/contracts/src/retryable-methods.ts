import { methodsByService } from './gen/retryable-methods';

/**
 * The methods of a service that may be retried after a failure: those that its contract marks as free of
 * side effects or idempotent.
 */
export function retryableMethods(serviceName: string): readonly string[] {
  const methods = methodsByService[serviceName];
  if (!methods) throw new Error(`no service ${serviceName} in proto/`);
  return methods;
}
