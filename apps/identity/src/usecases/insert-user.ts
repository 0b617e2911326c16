import { AppError, notFound } from '@daycare/errors';
import { drawNametag, nametagTries, type Draw } from '../domain/nametag';
import { isRetryOf, type RequestKey } from '../domain/request-key';
import type { User } from '../domain/user';
import { mostSubusers, type UserStore } from '../store/user-store';

export interface InsertUserDeps {
  readonly users: UserStore;
  readonly newId: () => string;
  readonly now: () => Date;
  readonly draw: Draw;
}

/** A user to be, but for what the store and chance decide. */
export type UserDraft = Pick<User, 'name' | 'parentUserId' | 'description'>;

export interface InsertedUser {
  readonly user: User;
  /** False when an earlier request under the same id made it. */
  readonly created: boolean;
}

export type InsertUser = ReturnType<typeof makeInsertUser>;

/** Creates a user once per request, under a nametag nobody has: the database settles both. */
export function makeInsertUser({ users, newId, now, draw }: InsertUserDeps) {
  return async (
    draft: UserDraft,
    createdBy: string,
    request: RequestKey,
  ): Promise<InsertedUser> => {
    for (let tryNumber = 0; tryNumber < nametagTries; tryNumber += 1) {
      const nametag = drawNametag(tryNumber, draw);
      const user: User = { ...draft, id: newId(), nametag, createdAt: now() };
      const outcome = await users.insert(user, createdBy, request);
      if (outcome === 'inserted') return { user, created: true };
      if (outcome === 'owner-gone') throw notFound('User');
      if (outcome === 'too-many') throw tooManySubusers();
      if (outcome === 'request-known')
        return { user: await earlier(users, request), created: false };
    }
    throw new AppError('UNAVAILABLE', 'No free nametag was found; try again');
  };
}

function tooManySubusers(): AppError {
  const quota = { subject: 'caller', description: `at most ${mostSubusers} subusers` };
  return new AppError('QUOTA_EXCEEDED', `A user has at most ${mostSubusers} subusers`, { quota });
}

async function earlier(users: UserStore, request: RequestKey): Promise<User> {
  const found = await users.findByRequest(request);
  if (found && isRetryOf(found.request, request)) return found.user;
  throw new AppError('REQUEST_ID_REUSED', 'request_id was used before for another request');
}
