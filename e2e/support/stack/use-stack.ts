import { useFixture } from '@daycare/testing/jest';
import { leaseStack, startStack, type Stack, type StackOptions } from './stack';

/** Runs a separate stack for the stories in a file, which may kill and configure its services. */
export function useStack(options: StackOptions | (() => Promise<StackOptions>) = {}): Stack {
  return useFixture(async () =>
    startStack(typeof options === 'function' ? await options() : options),
  );
}

/**
 * Runs the stories in a file on a stack that other files use before and after: all services, two replicas of
 * agent-runtime, standard configuration. Stories create their own people and never kill a service.
 */
export function useSharedStack(): Stack {
  return useFixture(() => leaseStack());
}
