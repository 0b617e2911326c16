import { afterAll, beforeAll } from '@jest/globals';

/** Something a test file opens once and closes at the end. */
export type Fixture = { close(): Promise<unknown> } | { stop(): Promise<unknown> };

const defaultTimeoutMs = 180_000;

/**
 * Opens a fixture before the tests in the file (or `describe`) and closes it after them. The result can be destructured
 * right away (`const { people } = useFixture(…)`), but used only while the tests run.
 */
export function useFixture<T extends Fixture>(
  open: () => Promise<T>,
  timeoutMs = defaultTimeoutMs,
): T {
  let opened: T | undefined;
  beforeAll(async () => {
    opened = await open();
  }, timeoutMs);
  afterAll(async () => {
    if (!opened) return;
    await ('close' in opened ? opened.close() : opened.stop());
  }, timeoutMs);
  return standIn(() => opened);
}

/** Creates a stand-in for an object that does not exist yet; until it does, its members are stand-ins as well. */
function standIn<T extends object>(find: () => T | undefined): T {
  const current = (): T => {
    const fixture = find();
    if (!fixture) throw new Error('the fixture is open only while tests run');
    return fixture;
  };
  const callable = (): undefined => undefined;
  return new Proxy(callable as unknown as T, {
    get(_target, key) {
      const fixture = find();
      return fixture
        ? memberOf(fixture, key)
        : standIn(() => memberOf(find(), key) as object | undefined);
    },
    apply: (_target, self, args: unknown[]) =>
      Reflect.apply(current() as unknown as () => unknown, self, args),
    set: (_target, key, value) => Reflect.set(current(), key, value),
    has: (_target, key) => Reflect.has(current(), key),
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor: (_target, key) => Reflect.getOwnPropertyDescriptor(current(), key),
  });
}

/** Binds methods to the object, because methods that use private fields need the object itself as `this`. */
function memberOf(object: object | undefined, key: string | symbol): unknown {
  if (!object) return undefined;
  const member: unknown = Reflect.get(object, key);
  return typeof member === 'function' ? (member.bind(object) as unknown) : member;
}
