import { FieldChecks, notFound } from '@daycare/api';
import { isTimeZone, type User } from '../domain/user';
import type { UserStore } from '../store/user-store';

export interface UpdateUserCommand {
  readonly requestId: string;
  readonly userId: string;
  /** Unchanged when undefined. */
  readonly timeZone?: string | undefined;
}

/** Changes the settings of a user, once per request id. */
export function makeUpdateUser({ users }: { readonly users: UserStore }) {
  return async ({ requestId, userId, timeZone }: UpdateUserCommand): Promise<User> => {
    new FieldChecks()
      .requestId(requestId)
      .id(userId, 'user_id')
      .require(
        !timeZone || isTimeZone(timeZone),
        'time_zone',
        'must be the name of a time zone, e.g. Europe/Berlin',
      )
      .done();
    const updated =
      timeZone === undefined ? undefined : await users.update({ userId, requestId, timeZone });
    const user = updated ?? (await users.findById(userId));
    if (!user) throw notFound('user');
    return user;
  };
}
