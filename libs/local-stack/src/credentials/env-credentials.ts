import { readFileSync } from 'node:fs';
import { cannotStart, reasonOf } from '../process/cannot-start';
import { parseCredentials, type Credentials } from './credentials';

const variable = 'DAYCARE_CREDENTIALS';

/**
 * Reads the credentials that an operator has set in the environment, as text or as the path of a file; returns
 * undefined if there are none. The error for invalid credentials does not show their value.
 */
export function readEnvCredentials(env: NodeJS.ProcessEnv): Credentials | undefined {
  const path = env[`${variable}_FILE`];
  const [source, text] = path ? [`${variable}_FILE`, readEnvFile(path)] : [variable, env[variable]];
  if (!text) return undefined;
  const credentials = parseCredentials(text);
  if (credentials) return credentials;
  throw cannotStart(
    `${source} does not contain the credentials of this stack: it must be JSON with a secret for ` +
      '"admin" and, under "services", one for each of social-graph, agent-runtime and topology.',
  );
}

function readEnvFile(path: string): string {
  try {
    // An empty file is an error, whereas an empty variable counts as unset.
    return readFileSync(path, 'utf8') || '{}';
  } catch (error) {
    throw cannotStart(
      `${variable}_FILE is "${path}", which cannot be read (${reasonOf(error)}).`,
      error,
    );
  }
}
