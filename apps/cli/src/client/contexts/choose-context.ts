import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import type { Contexts, NamedContext } from './context';
import { findLocalStack } from './local-stack';

/** The name of the context that is used if none is selected: the stack running in the default data folder. */
export const localName = 'local';

/** Returns the requested context, else the current one, else the stack running in the default data folder. */
export function chooseContext(
  { current, contexts }: Contexts,
  requested: string | undefined,
): NamedContext {
  const name = requested ?? current;
  const context = name === undefined ? undefined : contexts[name];
  if (name !== undefined && context) return { name, context };
  if (requested !== undefined) throw unknownContext(requested);
  const local = findLocalStack();
  if (local) return { name: localName, context: { stack: local.dataDir } };
  throw new Failure(
    exitCodes.unavailable,
    'No context is selected, and no running stack was found on this machine.',
    'Start one with "npm start" and sign in with "daycare login", or run "daycare login --help" to sign in to a remote stack.',
  );
}

export function unknownContext(name: string): Failure {
  return new Failure(
    exitCodes.notFound,
    `There is no context "${name}".`,
    'Run "daycare context list" to see your contexts.',
  );
}

export function invalidContextName(name: string): Failure {
  return new Failure(
    exitCodes.usage,
    `"${name}" is not a valid context name.`,
    'Use letters, digits, ".", "_" and "-", up to 63 characters.',
  );
}
