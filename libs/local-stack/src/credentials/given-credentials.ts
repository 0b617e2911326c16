import { readFileSync } from 'node:fs';
import { cannotStart, reasonOf } from '../cannot-start';
import { parseCredentials, type Credentials } from './credentials';

const variable = 'DAYCARE_CREDENTIALS';

/**
 * The credentials an operator has set in the environment, as text or as the path of a file; undefined
 * when there are none. Throws a sentence, without the value, when they cannot be used.
 */
export function readGivenCredentials(env: NodeJS.ProcessEnv): Credentials | undefined {
  const path = env[`${variable}_FILE`];
  const [source, text] = path ? [`${variable}_FILE`, readGiven(path)] : [variable, env[variable]];
  if (!text) return undefined;
  const credentials = parseCredentials(text);
  if (credentials) return credentials;
  throw cannotStart(
    `${source} does not hold the credentials of this stack: it takes a JSON text with a secret for ` +
      '"admin" and, below "services", one for each of social-graph, agent-runtime and topology.',
  );
}

function readGiven(path: string): string {
  try {
    // Nothing is not a choice for whoever names a file.
    return readFileSync(path, 'utf8') || '{}';
  } catch (error) {
    throw cannotStart(
      `${variable}_FILE is "${path}", which cannot be read (${reasonOf(error)}).`,
      error,
    );
  }
}
