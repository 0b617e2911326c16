import { afterAll, describe, expect, it } from '@jest/globals';
import { useFixture } from './use-fixture';

class Counter {
  #count = 0;
  step = 1;
  closed = false;
  readonly twice = (value: number): number => 2 * value;

  next(): number {
    return (this.#count += this.step);
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

describe('useFixture', () => {
  const opened: Counter[] = [];
  const counter = useFixture(async () => {
    const newCounter = new Counter();
    opened.push(newCounter);
    return newCounter;
  });
  // Registered after the fixture's own hook, so it runs once the fixture is closed.
  afterAll(() => expect(opened[0]?.closed).toBe(true));

  it('opens the fixture once for all tests', () => {
    expect(counter.next()).toBe(1);
    expect(opened).toHaveLength(1);
  });

  it('passes reads, writes and spreads through to the fixture', () => {
    counter.step = 10;
    expect(counter.next()).toBe(11);
    expect(Object.assign({}, counter)).toMatchObject({ step: 10, closed: false });
    expect('step' in counter).toBe(true);
  });
});

const early = useFixture(async () => new Counter());
const { twice } = early;
const errorOfEarlyCall = (() => {
  try {
    return twice(2);
  } catch (error) {
    return error;
  }
})();

it('a fixture can be destructured before the tests run, but is usable only while they run', () => {
  expect(errorOfEarlyCall).toMatchObject({ message: 'the fixture is open only while tests run' });
  expect(twice(2)).toBe(4);
});
