import { AppError, FieldChecks, notFound } from '@daycare/api';
import type { DirectoryEntry, IdentityDirectory } from '@daycare/service-kit';
import type { Member } from '../domain/tie/pair';
import { countLookup, type Lookups } from './lookups';

export type Directory = Pick<IdentityDirectory, 'findById' | 'findByNametag'>;

/** The user or subuser to whom a nametag in a call belongs. */
export type Target =
  | { readonly kind: 'user'; readonly member: Member }
  | {
      readonly kind: 'subuser';
      readonly subuserId: string;
      readonly nametag: string;
      readonly owner: Member;
    };

export interface TargetOptions {
  /** The field of the request that contains the nametag. */
  readonly field?: string | undefined;
  readonly lookups?: Lookups | undefined;
}

/** Returns the caller with the nametag that the other side will see. Throws UNAUTHENTICATED for a deleted caller. */
export async function findCaller(directory: Directory, userId: string): Promise<Member> {
  const entry = await directory.findById(userId);
  if (!entry) throw callerDeleted();
  return toMember(entry);
}

/**
 * Finds the user or subuser that a call names. The caller's own nametag is refused as an invalid `field`. For the
 * nametag of one of the caller's own subusers, throws the same NOT_FOUND as for a nametag that does not exist.
 */
export async function findTarget(
  directory: Directory,
  callerId: string,
  nametag: string,
  { field, lookups }: TargetOptions = {},
): Promise<Target> {
  const entry = await directory.findByNametag(nametag, () => countLookup(lookups, 'nametags'));
  return toTarget(directory, callerId, entry, { field, lookups });
}

/** Like `findTarget`, for a nametag that has already been looked up. */
export async function toTarget(
  directory: Directory,
  callerId: string,
  entry: DirectoryEntry | undefined,
  { field = 'nametag', lookups }: TargetOptions = {},
): Promise<Target> {
  if (!entry) throw unknownNametag();
  new FieldChecks().require(entry.userId !== callerId, field, 'is your own').done();
  const { userId, nametag, parentUserId } = entry;
  if (parentUserId === undefined) return { kind: 'user', member: toMember(entry) };
  if (parentUserId === callerId) throw unknownNametag();
  const owner = await directory.findById(parentUserId, () => countLookup(lookups, 'ids'));
  if (!owner) throw unknownNametag();
  return { kind: 'subuser', subuserId: userId, nametag, owner: toMember(owner) };
}

/** Like `findTarget`, for calls that accept users but not subusers. */
export async function findPerson(
  directory: Directory,
  callerId: string,
  nametag: string,
  options: TargetOptions = {},
): Promise<Member> {
  const target = await findTarget(directory, callerId, nametag, options);
  if (target.kind === 'subuser') throw unknownNametag();
  return target.member;
}

/** The error for a caller that was deleted after its token was checked. */
export function callerDeleted(): AppError {
  return new AppError('UNAUTHENTICATED', 'The token is invalid');
}

/** The error for a nametag that does not exist and for one that the caller may not see. */
export function unknownNametag(): AppError {
  return notFound('nametag');
}

function toMember({ userId, nametag }: DirectoryEntry): Member {
  return { userId, nametag };
}
