import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createId } from '@daycare/api/create-id';
import { basicAuthorization } from '@daycare/auth';
import { createCredentials, type Credentials } from '@daycare/local-stack';
import {
  addRevocations,
  cpuShareWhenIdle,
  measureRefusalMs,
} from '../../support/load/flood/many-revocations';
import { startStack, type Stack } from '../../support/stack/stack';
import type { SoakConfig } from './config';

const maxIdleShare = 0.05;
const maxRefusedMs = 5_000;
const idleSeconds = 30;

type Figure = readonly [what: string, value: string, isFault: boolean];

/**
 * Measures, with a long list of revocations, how soon four ways of ending tokens take effect, and how much CPU time
 * identity uses while idle; returns the exit code.
 */
export async function soakRevocations(
  { revocations }: SoakConfig,
  signal: AbortSignal,
  report: (line: string) => void,
): Promise<number> {
  report(
    `Adding ${revocations} revocations, then ending tokens in four ways; each must take effect within ${maxRefusedMs / 1_000} s`,
  );
  const folder = await mkdtemp(join(tmpdir(), 'daycare-soak-'));
  const file = join(folder, 'credentials.json');
  const credentials = { ...createCredentials(), clients: { telegram: createId() + createId() } };
  const configure = (next: object): Promise<void> => writeFile(file, JSON.stringify(next));
  await configure(credentials);
  const envOf = { identity: { DAYCARE_CREDENTIALS: '', DAYCARE_CREDENTIALS_FILE: file } };
  const stack = await startStack({ ownServers: true, credentials, envOf });
  let hasFault = false;
  try {
    for await (const [what, value, isFault] of figuresOf(
      stack,
      credentials,
      revocations,
      configure,
    )) {
      hasFault ||= isFault;
      report(`${what.padEnd(52)} ${value}${isFault ? '  FAULT' : ''}`);
      if (signal.aborted) break;
    }
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  }
  report(
    hasFault ? 'Ending tokens takes longer, or idling costs more, than allowed.' : 'No faults.',
  );
  return hasFault ? 1 : 0;
}

async function* figuresOf(
  stack: Stack,
  credentials: Credentials,
  count: number,
  configure: (credentials: object) => Promise<void>,
): AsyncGenerator<Figure> {
  const { identity, people } = stack;
  const { id: userId } = await people.newPerson();
  const issueToken = async (authorization: string): Promise<string> => {
    const request = { userId, agentId: '', publicKeyJwk: '' };
    return (await identity.issueToken(request, { metadata: { authorization } })).tokens!
      .accessToken;
  };
  const admin = stack.adminMetadata.authorization;
  yield shareFigure(
    'identity idle, without revocations',
    await cpuShareWhenIdle(stack, idleSeconds),
  );
  await addRevocations(stack, count);
  const revokedAfterMs = async (): Promise<number> => {
    const token = await issueToken(admin);
    return measureRefusalMs(stack, token, () => identity.revokeToken({ token }));
  };
  // The services must first fetch all the revocations, which were added in one go, so a long delay is not a fault here.
  yield ['all revocations received by the services', `after ${await revokedAfterMs()} ms`, false];
  yield timeFigure('revoked token refused everywhere', await revokedAfterMs());
  yield shareFigure('identity idle, with revocations', await cpuShareWhenIdle(stack, idleSeconds));
  const signedBefore = await issueToken(admin);
  const rotate = () =>
    identity.rotateSigningKey(
      { requestId: createId(), removeOthers: true },
      { metadata: { authorization: admin } },
    );
  yield timeFigure('removed signing key', await measureRefusalMs(stack, signedBefore, rotate));
  const restart = async (next: object): Promise<void> => {
    await configure(next);
    await stack.service('identity').restart();
  };
  const clientToken = await issueTokenByClient(stack, credentials);
  const { clients: _, ...withoutClient } = credentials;
  yield timeFigure(
    'removed client',
    await measureRefusalMs(stack, clientToken, () => restart(withoutClient)),
  );
  const adminToken = await issueToken(admin);
  const rotated = { ...withoutClient, admin: createId() + createId() };
  yield timeFigure(
    'rotated admin secret',
    await measureRefusalMs(stack, adminToken, () => restart(rotated)),
  );
}

/** Creates a person as a client; resolves with a token that the client has issued for that person. */
async function issueTokenByClient(
  { identity }: Stack,
  { clients = {} }: Credentials,
): Promise<string> {
  const authorization = basicAuthorization('telegram', clients['telegram'] ?? '');
  const as = { metadata: { authorization } };
  const { user } = await identity.createUser({ requestId: createId(), name: 'Ada' }, as);
  const request = { userId: user!.id, agentId: '', publicKeyJwk: '' };
  return (await identity.issueToken(request, as)).tokens!.accessToken;
}

function shareFigure(what: string, share: number): Figure {
  return [what, `${(share * 100).toFixed(1)} % of a core`, share > maxIdleShare];
}

function timeFigure(what: string, ms: number): Figure {
  return [what, `after ${ms} ms`, ms > maxRefusedMs];
}
