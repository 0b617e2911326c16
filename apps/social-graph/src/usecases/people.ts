import { AppError, FieldChecks, notFound } from '@daycare/errors';
import type { DirectoryEntry, IdentityDirectory } from '@daycare/service-kit';
import type { Member } from '../domain/pair';

export type Directory = Pick<IdentityDirectory, 'findById' | 'findByNametag'>;

/** Who a nametag in a call stands for. */
export type Target =
  | { readonly kind: 'user'; readonly member: Member }
  | {
      readonly kind: 'subuser';
      readonly subuserId: string;
      readonly nametag: string;
      readonly owner: Member;
    };

/** The caller with its nametag, which others will see. */
export async function findCaller(directory: Directory, userId: string): Promise<Member> {
  const entry = await directory.findById(userId);
  if (!entry) throw callerGone();
  return toMember(entry);
}

/**
 * Finds whom a call is about. Oneself is refused, in terms of the `field` that named it; nobody is
 * told apart from nothing.
 */
export async function findTarget(
  directory: Directory,
  callerId: string,
  nametag: string,
  field = 'nametag',
): Promise<Target> {
  const entry = await directory.findByNametag(nametag);
  if (!entry) throw unknownNametag();
  new FieldChecks().require(entry.userId !== callerId, field, 'is your own').done();
  const { parentUserId } = entry;
  if (parentUserId === undefined) return { kind: 'user', member: toMember(entry) };
  const owner = parentUserId === callerId ? undefined : await directory.findById(parentUserId);
  // Nobody is offered what is their own.
  if (!owner) throw unknownNametag();
  return { kind: 'subuser', subuserId: entry.userId, nametag, owner: toMember(owner) };
}

/** As `findTarget`, for calls that are about people only. */
export async function findPerson(
  directory: Directory,
  callerId: string,
  nametag: string,
  field = 'nametag',
): Promise<Member> {
  const target = await findTarget(directory, callerId, nametag, field);
  if (target.kind === 'subuser') throw unknownNametag();
  return target.member;
}

/** The answer for a caller that was deleted after its token was checked. */
export function callerGone(): AppError {
  return new AppError('UNAUTHENTICATED', 'The token is not valid');
}

/** The answer for a nametag that nobody has, and for one the caller has no business with. */
export function unknownNametag(): AppError {
  return notFound('Nametag');
}

function toMember({ userId, nametag }: DirectoryEntry): Member {
  return { userId, nametag };
}
