import { AppError, FieldChecks } from '@daycare/errors';
import { drawNametag, nametagTries, type Draw } from '../domain/nametag';
import { isRetryOf, type RequestKey } from '../domain/request-key';
import { nameLimits, type User } from '../domain/user';
import type { UserStore } from '../store/user-store';

export interface CreateUserCommand {
  readonly requestId: string;
  readonly name: string;
}

export interface CreateUserDeps {
  readonly users: UserStore;
  readonly newId: () => string;
  readonly now: () => Date;
  readonly draw: Draw;
}

/** Creates a user once per request id, under a nametag nobody has. */
export function makeCreateUser({ users, newId, now, draw }: CreateUserDeps) {
  return async ({ requestId, name: rawName }: CreateUserCommand): Promise<User> => {
    new FieldChecks().requestId(requestId).line(rawName, 'name', nameLimits).done();
    const name = rawName.trim();
    const request: RequestKey = { id: requestId, fingerprint: name };
    for (let tryNumber = 0; tryNumber < nametagTries; tryNumber += 1) {
      const nametag = drawNametag(tryNumber, draw);
      const user: User = { id: newId(), nametag, name, createdAt: now() };
      const outcome = await users.insert(user, request);
      if (outcome === 'inserted') return user;
      if (outcome === 'request-known') return earlierUser(users, request);
    }
    throw new AppError('UNAVAILABLE', 'No free nametag was found; try again');
  };
}

async function earlierUser(users: UserStore, request: RequestKey): Promise<User> {
  const earlier = await users.findByRequest(request.id);
  if (earlier && isRetryOf(earlier.request, request)) return earlier.user;
  throw new AppError('REQUEST_ID_REUSED', 'request_id was used before for another request');
}
