import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import type { Contexts, NamedContext } from './context';
import { findLocalStack } from './local-stack';

/** What a context is called that nobody has made: the stack that runs on this machine. */
export const localName = 'local';

/** The context that was asked for, else the current one, else the stack that runs here. */
export function chooseContext(
  { current, contexts }: Contexts,
  wanted: string | undefined,
): NamedContext {
  const name = wanted ?? current;
  const context = name === undefined ? undefined : contexts[name];
  if (name !== undefined && context) return { name, context };
  if (wanted !== undefined) throw unknownContext(wanted);
  const local = findLocalStack();
  if (local) return { name: localName, context: { stack: local.dataDir } };
  throw new Failure(
    exitCodes.unavailable,
    'There is no context to use, and no stack runs on this machine.',
    'Start one with "npm start" and sign in with "daycare login", or see "daycare login --help" for servers elsewhere.',
  );
}

export function unknownContext(name: string): Failure {
  return new Failure(
    exitCodes.notFound,
    `There is no context "${name}".`,
    'See "daycare context list".',
  );
}
