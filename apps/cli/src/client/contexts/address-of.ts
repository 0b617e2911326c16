import { addressVariable, type ServiceName } from '@daycare/local-stack/lookup';
import type { Settings } from '../../config';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import type { NamedContext } from './context';
import { findLocalStack } from './local-stack';

/** Returns a service's address: from the environment, else the running stack, else the context. */
export function addressOf(
  service: ServiceName,
  { name, context }: NamedContext,
  { addresses }: Pick<Settings, 'addresses'>,
): string {
  const found = addresses[service] ?? stackAddress(context.stack, service);
  const address = found ?? context.addresses?.[service];
  if (address) return address;
  throw context.stack
    ? new Failure(
        exitCodes.unavailable,
        `No stack is running in ${context.stack} (context "${name}").`,
        'Start it with "npm start".',
      )
    : new Failure(
        exitCodes.usage,
        `Context "${name}" has no address for ${service}.`,
        `Set it with "daycare context set ${name} --${service} HOST:PORT" or ${addressVariable(service)}.`,
      );
}

function stackAddress(stack: string | undefined, service: ServiceName): string | undefined {
  return stack === undefined ? undefined : findLocalStack(stack)?.addresses[service];
}
