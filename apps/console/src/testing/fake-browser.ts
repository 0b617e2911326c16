import { afterAll, jest } from '@jest/globals';

/**
 * Fakes of the browser APIs that console modules use while they load and run. A spec imports this before the module
 * under test. Test files share one global object, so the fakes are removed afterwards.
 */
export const page = Object.assign(new EventTarget(), {
  hidden: false,
  hasFocus: () => false,
  /** Finds the `meta` element into which the gateway writes the id of the user. */
  querySelector: () => ({ content: 'ada' }),
});
export const browserWindow = new EventTarget();
export const localStorageItems = new Map<string, string>();
export const assignLocation = jest.fn();

const globals = {
  document: page,
  location: { origin: 'http://console.test', assign: assignLocation },
  addEventListener: browserWindow.addEventListener.bind(browserWindow),
  removeEventListener: browserWindow.removeEventListener.bind(browserWindow),
  requestAnimationFrame: (run: () => void) => setTimeout(run),
  localStorage: {
    getItem: (name: string) => localStorageItems.get(name) ?? null,
    setItem: (name: string, value: string) => void localStorageItems.set(name, value),
    removeItem: (name: string) => void localStorageItems.delete(name),
    key: (index: number) => [...localStorageItems.keys()][index] ?? null,
    get length() {
      return localStorageItems.size;
    },
  },
};

const originals = Object.keys(globals).map(
  (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
);
for (const [name, value] of Object.entries(globals))
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });

afterAll(() => {
  for (const [name, descriptor] of originals)
    if (descriptor) Object.defineProperty(globalThis, name, descriptor);
    else Reflect.deleteProperty(globalThis, name);
});
