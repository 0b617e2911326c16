import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { findWorkspaceRoot, isServing } from '@daycare/local-stack';
import { borrow, brokerVariable, leaseTestStack } from './lease-test-stack';
import { startStackBroker, type StackBroker } from './stack-broker';
import { StackPool } from './stack-pool';
import type { TestStackOptions } from './test-stack';

const root = findWorkspaceRoot(__dirname);
const options: TestStackOptions = {
  services: ['identity'],
  bundleOf: () => join(root, 'libs/local-stack/fixtures/fake-service.cjs'),
};

describe('a pool of stacks', () => {
  let pool: StackPool;
  beforeEach(() => {
    pool = new StackPool();
  });
  afterEach(() => pool.stop());

  it('leases a different stack while the first is in use, and the first again after it is released', async () => {
    const first = await pool.lease(options);
    const second = await pool.lease(options);
    expect(second.natsPrefix).not.toBe(first.natsPrefix);
    pool.release(first.natsPrefix);
    expect(await pool.lease(options)).toBe(first);
  });

  it('starts a new stack for different options', async () => {
    const first = await pool.lease(options);
    pool.release(first.natsPrefix);
    const second = await pool.lease({ ...options, env: { DAYCARE_LOG_LEVEL: 'warn' } });
    expect(second.natsPrefix).not.toBe(first.natsPrefix);
  });

  it('replaces a stack in which a process has died', async () => {
    const first = await pool.lease(options);
    process.kill(first.processes[0]!.pid, 'SIGKILL');
    pool.release(first.natsPrefix);
    const second = await pool.lease(options);
    expect(second.natsPrefix).not.toBe(first.natsPrefix);
    expect(await isServing(second.processes[0]!.grpcAddress)).toBe(true);
  });

  it('resumes a process that a story has left frozen', async () => {
    const { natsPrefix, processes } = await pool.lease(options);
    process.kill(processes[0]!.pid, 'SIGSTOP');
    pool.release(natsPrefix);
    expect(await pool.lease(options)).toMatchObject({ natsPrefix });
  });

  it('lets a story freeze and resume a leased process, but neither kill nor restart it', async () => {
    const { processes } = await pool.lease(options);
    const service = await borrow(processes[0]!);
    service.pause();
    await expect(isServing(processes[0]!.grpcAddress, 200)).rejects.toThrow('DEADLINE_EXCEEDED');
    service.resume();
    expect(await isServing(processes[0]!.grpcAddress)).toBe(true);
    expect(() => service.signal('SIGKILL')).toThrow('shared with other stories');
    await expect(service.restart()).rejects.toThrow('shared with other stories');
  });

  it('leaves no process behind when it stops', async () => {
    const { processes } = await pool.lease(options);
    await pool.stop();
    await expect(isServing(processes[0]!.grpcAddress, 200)).rejects.toThrow();
  });
});

describe('leaseTestStack', () => {
  let broker: StackBroker;
  beforeEach(async () => {
    broker = await startStackBroker();
    process.env[brokerVariable] = broker.url;
  });
  afterEach(async () => {
    Reflect.deleteProperty(process.env, brokerVariable);
    await broker.stop();
  });

  it('leases the same stack again after its stop() has returned it to the pool', async () => {
    const stack = await leaseTestStack({ services: [] });
    await stack.stop();
    const secondLease = await leaseTestStack({ services: [] });
    expect(secondLease.natsPrefix).toBe(stack.natsPrefix);
  });

  it('fails with the reason if the stack cannot start', async () => {
    const noSuchService = { services: ['nowhere' as 'identity'] };
    await expect(leaseTestStack(noSuchService)).rejects.toThrow('npm run build');
  });
});
