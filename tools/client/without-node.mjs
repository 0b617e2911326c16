/** How esbuild bundles our code for browsers, which have neither grpc-js nor Node's modules. */
import { resolve } from 'node:path';

/**
 * The names that our code imports from modules that browsers do not have: the generated contracts import grpc-js for
 * servers and clients that browsers do not use, and parts of our libraries import Node's modules. Each is replaced with
 * a function that does nothing. A build fails if it imports a name that is not listed here.
 */
const absent = {
  '@grpc/grpc-js': ['makeGenericClientConstructor'],
  'node:crypto': ['createHash', 'randomUUID'],
  'node:events': ['addAbortListener', 'setMaxListeners'],
};

export const withoutNode = {
  name: 'without-node',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(@grpc\/grpc-js|node:.+)$/ }, ({ path }) => ({
      path,
      namespace: 'absent',
    }));
    onLoad({ filter: /.*/, namespace: 'absent' }, ({ path }) => ({
      contents: (absent[path] ?? [])
        .map((name) => `export const ${name} = () => undefined;`)
        .join('\n'),
    }));
  },
};

export const bufferShim = resolve(import.meta.dirname, 'buffer-shim.mjs');
