import { AppError, notFound, requestIdReused } from '@daycare/api';
import { drawNametag, nametagTries, type Draw } from '../domain/nametag';
import { isRetryOf, type RequestKey } from '../domain/request-key';
import { clientOf, type User } from '../domain/user';
import { msUntilNextDay, type SubuserLimits } from '../domain/subuser-limits';
import type { InsertOutcome, UserStore } from '../store/user-store';

export interface InsertUserDeps {
  readonly users: UserStore;
  readonly newId: () => string;
  readonly now: () => Date;
  readonly draw: Draw;
}

/** A new user, without its id, nametag and creation time. */
export type UserDraft = Pick<User, 'name' | 'parentUserId' | 'description'>;

export interface InsertedUser {
  readonly user: User;
  /** False when the user already existed, e.g. because an earlier attempt of the same request created it. */
  readonly created: boolean;
}

export type InsertUser = ReturnType<typeof makeInsertUser>;

/** Creates a user only once per request, and under a unique nametag; reservations guarantee both. */
export function makeInsertUser({ users, newId, now, draw }: InsertUserDeps) {
  return async (
    draft: UserDraft,
    createdBy: string,
    request: RequestKey,
  ): Promise<InsertedUser> => {
    const client = clientOf(createdBy, request);
    const draftWithClient = client === undefined ? draft : { ...draft, client };
    for (let tryNumber = 0; tryNumber < nametagTries; tryNumber += 1) {
      const nametag = drawNametag(tryNumber, draw);
      const user: User = {
        ...draftWithClient,
        timeZone: '',
        id: newId(),
        nametag,
        createdAt: now(),
      };
      const outcome = await users.insert(user, createdBy, request);
      if (outcome === 'inserted') return { user, created: true };
      if (outcome === 'owner-deleted') throw notFound('user');
      if (outcome === 'nametag-taken') continue;
      const earlier = await findEarlier(users, request);
      if (earlier) return { user: earlier, created: false };
      // The user that the request created has since been deleted, and is not created again.
      if (outcome === 'request-known') throw notFound(draft.parentUserId ? 'subuser' : 'user');
      throw refusalOf(outcome, users.subuserLimits, user.createdAt);
    }
    throw new AppError('UNAVAILABLE', 'No free nametag was found; try again');
  };
}

function refusalOf(outcome: InsertOutcome, limits: SubuserLimits, at: Date): AppError {
  if (outcome === 'too-many') {
    const description = `at most ${limits.living} subusers`;
    const message = `A user can have ${description}; delete one first`;
    return new AppError('QUOTA_EXCEEDED', message, { quota: { subject: 'caller', description } });
  }
  if (outcome !== 'too-many-today') return requestIdReused();
  const description = `at most ${limits.perDay} new subusers per day`;
  return new AppError(
    'QUOTA_EXCEEDED',
    `A user can create ${description}; try again after midnight UTC`,
    {
      quota: { subject: 'caller', description },
      retryAfterMs: msUntilNextDay(at),
    },
  );
}

/**
 * Finds the user that an earlier attempt created, even if the limit has been reached since. Throws if the request id
 * was used for a different request.
 */
async function findEarlier(users: UserStore, request: RequestKey): Promise<User | undefined> {
  const found = await users.findByRequest(request);
  if (found && !isRetryOf(found.request, request)) throw requestIdReused();
  return found?.user;
}
