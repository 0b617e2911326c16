import { afterAll, jest } from '@jest/globals';

/**
 * The little of a browser that modules of the console use while they load and run. Imported by a spec before what it
 * tests; test files share one global object, so it is taken away afterwards.
 */
export const page = Object.assign(new EventTarget(), {
  hidden: false,
  hasFocus: () => false,
  /** What the gateway writes into the page: whose it is. */
  querySelector: () => ({ content: 'ada' }),
});
export const browserWindow = new EventTarget();
export const stored = new Map<string, string>();
export const assignLocation = jest.fn();

const globals = {
  document: page,
  location: { origin: 'http://console.test', assign: assignLocation },
  addEventListener: browserWindow.addEventListener.bind(browserWindow),
  removeEventListener: browserWindow.removeEventListener.bind(browserWindow),
  requestAnimationFrame: (run: () => void) => setTimeout(run),
  localStorage: {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
    removeItem: (name: string) => void stored.delete(name),
    key: (index: number) => [...stored.keys()][index] ?? null,
    get length() {
      return stored.size;
    },
  },
};

const before = Object.keys(globals).map(
  (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
);
for (const [name, value] of Object.entries(globals))
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });

afterAll(() => {
  for (const [name, descriptor] of before)
    if (descriptor) Object.defineProperty(globalThis, name, descriptor);
    else Reflect.deleteProperty(globalThis, name);
});
