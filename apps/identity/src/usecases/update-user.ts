import { FieldChecks, invalidField, isTimeZone, notFound } from '@daycare/api';
import { nameLimits, type User } from '../domain/user';
import type { UserStore } from '../store/user-store';

export interface UpdateUserCommand {
  readonly requestId: string;
  readonly userId: string;
  /** Unchanged when undefined. */
  readonly timeZone?: string | undefined;
  /** Unchanged when undefined. */
  readonly name?: string | undefined;
}

/** Changes a user's settings, once per request id. */
export function makeUpdateUser({ users }: { readonly users: UserStore }) {
  return async (command: UpdateUserCommand): Promise<User> => {
    const { requestId, userId, timeZone } = command;
    checkFields(command);
    const user = await users.findById(userId);
    if (!user) throw notFound('user');
    if (command.name !== undefined && user.parentUserId !== undefined)
      throw invalidField('name', 'of a subuser can be changed only with RenameSubuser');
    const name = command.name?.trim();
    const changes = {
      ...(timeZone !== undefined && { timeZone }),
      ...(name !== undefined && { name }),
    };
    if (Object.keys(changes).length === 0) return user;
    // If nothing was updated, an earlier attempt of this call already made the change, or the user was deleted.
    const updated =
      (await users.update({ userId, requestId, changes })) ?? (await users.findById(userId));
    if (!updated) throw notFound('user');
    return updated;
  };
}

function checkFields({ requestId, userId, timeZone, name }: UpdateUserCommand): void {
  const checks = new FieldChecks()
    .requestId(requestId)
    .id(userId, 'user_id')
    .require(
      !timeZone || isTimeZone(timeZone),
      'time_zone',
      'must be the name of a time zone, e.g. Europe/Berlin',
    );
  if (name !== undefined) checks.line(name, 'name', nameLimits);
  checks.done();
}
