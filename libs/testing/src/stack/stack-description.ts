import type { AppName, Credentials, NatsPasswords } from '@daycare/local-stack';
import type { TestStack } from './test-stack';

/** One of a service's processes in a running stack. */
export interface DescribedProcess {
  readonly name: AppName;
  readonly replica: number;
  readonly pid: number;
  readonly grpcAddress: string;
  readonly httpAddress: string;
}

/** What another process needs to use a running stack, as JSON. */
export interface StackDescription {
  readonly mongoUrl: string;
  readonly natsUrl: string;
  readonly natsPasswords: NatsPasswords | undefined;
  readonly natsPrefix: string;
  readonly credentials: Credentials;
  readonly folder: string;
  readonly processes: readonly DescribedProcess[];
}

export function describeStack(stack: TestStack, services: readonly AppName[]): StackDescription {
  const { mongoUrl, natsUrl, natsPasswords, natsPrefix, credentials, folder } = stack;
  const processes = services.flatMap((name) =>
    Array.from({ length: stack.replicasOf(name) }, (_, replica): DescribedProcess => {
      const { pid, grpcAddress, httpAddress } = stack.service(name, replica).current;
      return { name, replica, pid, grpcAddress, httpAddress };
    }),
  );
  return { mongoUrl, natsUrl, natsPasswords, natsPrefix, credentials, folder, processes };
}
