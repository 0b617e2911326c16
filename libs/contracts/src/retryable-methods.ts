import { methodsByService } from './gen/retryable-methods';

/**
 * Returns the methods of a service that may be retried after a failure: those that its contract marks as idempotent or
 * free of side effects.
 */
export function retryableMethods(serviceName: string): readonly string[] {
  const methods = methodsByService[serviceName];
  if (!methods) throw new Error(`no service ${serviceName} in proto/`);
  return methods;
}
