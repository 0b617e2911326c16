import { addressOf } from '../client/address-of';
import { withContext, type NamedContext } from '../client/context';
import type { ContextStore } from '../client/context-store';
import type { FoundStack } from '../client/local-stack';
import { RequestIds } from '../client/request-ids';
import { Session } from '../client/session';
import { signUp } from '../client/sign-in';
import type { Settings } from '../config';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import type { PersonName } from './story';

export interface CastOptions {
  readonly stack: FoundStack;
  readonly settings: Settings;
  readonly store: ContextStore;
  readonly timeoutMs: number;
}

/** Somebody who has signed up for the demo. */
export interface Player {
  readonly name: PersonName;
  readonly context: NamedContext;
  readonly session: Session;
}

/** Makes a user on the stack, as its admin may, and opens a session as that user. */
export async function signUpPlayer(name: PersonName, options: CastOptions): Promise<Player> {
  const { stack, store, timeoutMs } = options;
  // Neither another's token nor the addresses of another context may get into the play.
  const settings = { ...options.settings, token: undefined };
  const contextName = `demo-${name.toLowerCase()}`;
  const authorization = stack.readAdminAuthorization();
  if (!authorization) throw notAdmin(stack.dataDir);
  const place = { name: contextName, context: { stack: stack.dataDir } };
  const address = addressOf('identity', place, settings);
  const access = { context: contextName, address, authorization, timeoutMs };
  const made = await signUp(stack, access, {
    name: `${name} (demo)`,
    requestIds: new RequestIds(),
  });
  const context = { name: contextName, context: made };
  const session = new Session({
    ...{ settings, store, timeoutMs },
    chosen: context,
    requestIds: new RequestIds(),
  });
  return { name, context, session };
}

/** Removes a player with all they have. */
export async function removePlayer({ session }: Player): Promise<void> {
  const userId = await session.userId();
  await session.identity.deleteUser({ requestId: session.requestIds.next(), userId });
  session.close();
}

/** Keeps the players' sign-ins as contexts, so that one can go on as them. */
export async function keepPlayers(players: readonly Player[], store: ContextStore): Promise<void> {
  await store.update((before) =>
    players.reduce((all, { context }) => withContext(all, context), before),
  );
}

function notAdmin(dataDir: string): Failure {
  return new Failure(
    exitCodes.refused,
    `The admin's credential of the stack in ${dataDir} cannot be read, and the demo makes two users.`,
    'Run it as the person who started the stack.',
  );
}
