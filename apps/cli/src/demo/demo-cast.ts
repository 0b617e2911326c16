import { addressOf } from '../client/contexts/address-of';
import { withContext, type Context, type NamedContext } from '../client/contexts/context';
import type { ContextStore } from '../client/contexts/context-store';
import { RequestIds } from '../client/rpc/request-ids';
import { Session } from '../client/session';
import { signInLocally } from '../client/auth/sign-in';
import type { Settings } from '../config';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import type { PersonName } from './story';

/** A stack on which users can be created. */
export interface DemoStack {
  /** How messages to the person refer to the stack. */
  readonly name: string;
  /** Its addresses, without a sign-in. */
  readonly context: Context;
  readonly readAdminAuthorization: () => string | undefined;
}

export interface CastOptions {
  readonly stack: DemoStack;
  readonly settings: Settings;
  readonly store: ContextStore;
  readonly timeoutMs: number;
}

/** A demo user with an open session. */
export interface Player {
  readonly name: PersonName;
  readonly context: NamedContext;
  readonly session: Session;
}

/** Creates a user on the stack with its admin credential and opens a session as that user. */
export async function signUpPlayer(name: PersonName, options: CastOptions): Promise<Player> {
  const { stack, store, timeoutMs } = options;
  // DAYCARE_TOKEN identifies a different user, so it must not be used here.
  const settings = { ...options.settings, token: undefined };
  const contextName = `demo-${name.toLowerCase()}`;
  const authorization = stack.readAdminAuthorization();
  if (!authorization) throw noAdminCredential(stack.name);
  const target = { name: contextName, context: stack.context };
  const address = addressOf('identity', target, settings);
  const { tls } = stack.context;
  const access = { context: contextName, address, authorization, timeoutMs, tls };
  const signedUp = await signInLocally(stack.context, access, {
    name: `${name} (demo)`,
    requestIds: new RequestIds(),
  });
  const context = { name: contextName, context: signedUp };
  const session = new Session({
    settings,
    store,
    timeoutMs,
    chosen: context,
    requestIds: new RequestIds(),
  });
  return { name, context, session };
}

/** Deletes a player's user and everything that the user owns. */
export async function removePlayer({ session }: Player): Promise<void> {
  const userId = await session.userId();
  await session.identity.deleteUser({ requestId: session.requestIds.next(), userId });
  session.close();
}

/** Saves the players' sign-ins as contexts. */
export async function savePlayers(players: readonly Player[], store: ContextStore): Promise<void> {
  await store.update((before) =>
    players.reduce((all, { context }) => withContext(all, context), before),
  );
}

function noAdminCredential(name: string): Failure {
  return new Failure(
    exitCodes.refused,
    `Cannot read the admin credential of ${name}, which the demo needs to create users.`,
    'Run the demo as the user who started the stack, or pass the file that contains the admin header with --admin-header.',
  );
}
