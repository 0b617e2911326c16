import { describe, expect, it } from '@jest/globals';
import { StopSequence } from './stop-sequence';

const warnings: object[] = [];
const nothing = () => undefined;
const log = {
  debug: nothing,
  info: nothing,
  error: nothing,
  warn: (fields: object) => void warnings.push(fields),
};

describe('StopSequence', () => {
  it('runs the phases in order, and the steps within each phase in reverse order', async () => {
    const ran: string[] = [];
    const stop = new StopSequence();
    const step = (name: string) => async () => void ran.push(name);
    stop.add('close', 'mongo', step('mongo'));
    stop.add('close', 'nats', step('nats'));
    stop.add('drain', 'rpc', step('rpc'));
    stop.add('release', 'leases', step('leases'));
    stop.add('quiesce', 'consumer', step('consumer'));
    await stop.run(log, 1_000);
    expect(ran).toEqual(['consumer', 'leases', 'rpc', 'nats', 'mongo']);
  });

  it('logs each step that fails or hangs, and continues with the next', async () => {
    const ran: string[] = [];
    const stop = new StopSequence();
    stop.add('quiesce', 'failing', () => Promise.reject(new Error('no')));
    stop.add('drain', 'hanging', () => new Promise(() => undefined));
    stop.add('close', 'last', async () => void ran.push('last'));
    await stop.run(log, 20);
    expect(ran).toEqual(['last']);
    expect(warnings).toMatchObject([
      { phase: 'quiesce', step: 'failing' },
      { phase: 'drain', step: 'hanging' },
    ]);
  });
});
