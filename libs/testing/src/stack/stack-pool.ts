import { isServing } from '@daycare/local-stack';
import { describeStack, type StackDescription } from './stack-description';
import { startTestStack, type TestStack, type TestStackOptions } from './test-stack';

interface PooledStack {
  readonly key: string;
  readonly stack: TestStack;
  readonly description: StackDescription;
  isLeased: boolean;
}

/** Runs stacks that stories use one after another; each is leased to one story at a time. */
export class StackPool {
  readonly #stacks = new Map<string, PooledStack>();

  /** Leases a stack with these options that is not in use: a healthy running one, or a new one. */
  async lease(options: TestStackOptions): Promise<StackDescription> {
    const key = JSON.stringify(options);
    for (const pooled of this.#stacks.values()) {
      if (pooled.isLeased || pooled.key !== key) continue;
      pooled.isLeased = true;
      if (await isHealthy(pooled.description)) return pooled.description;
      await this.#remove(pooled);
    }
    const stack = await startTestStack(options);
    const description = describeStack(stack, options.services);
    this.#stacks.set(description.natsPrefix, { key, stack, description, isLeased: true });
    return description;
  }

  /** Takes a stack back by its NATS prefix, and resumes processes that a failed story may have left frozen. */
  release(natsPrefix: string): void {
    const pooled = this.#stacks.get(natsPrefix);
    if (!pooled) return;
    for (const { name, replica } of pooled.description.processes)
      pooled.stack.service(name, replica).resume();
    pooled.isLeased = false;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#stacks.values()].map((pooled) => this.#remove(pooled)));
  }

  async #remove({ stack }: PooledStack): Promise<void> {
    this.#stacks.delete(stack.natsPrefix);
    await stack.stop();
  }
}

async function isHealthy({ processes }: StackDescription): Promise<boolean> {
  const checks = processes.map(({ grpcAddress }) => isServing(grpcAddress));
  return (await Promise.allSettled(checks)).every(
    (check) => check.status === 'fulfilled' && check.value,
  );
}
