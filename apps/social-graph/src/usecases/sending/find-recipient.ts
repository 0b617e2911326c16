import { FieldChecks } from '@daycare/api';
import { countLookup, type Lookups } from '../lookups';
import { toTarget, unknownNametag, type Directory, type Target } from '../people';

/**
 * The recipient of a message: a user or shared subuser, as in the other calls with a nametag, or one of the
 * caller's own subusers.
 */
export type SendTarget =
  | Target
  | { readonly kind: 'own_subuser'; readonly subuserId: string; readonly nametag: string };

/** Finds the owner's subusers with exactly this name. */
export type FindOwnSubusers = (
  ownerId: string,
  name: string,
) => Promise<readonly { readonly userId: string; readonly nametag: string }[]>;

const maxNameLength = 100;

/** Finds the recipient with this nametag, which may be one of the caller's own subusers. */
export async function findRecipient(
  directory: Directory,
  callerId: string,
  nametag: string,
  lookups?: Lookups,
): Promise<SendTarget> {
  const entry = await directory.findByNametag(nametag, () => countLookup(lookups, 'nametags'));
  if (entry?.parentUserId === callerId)
    return { kind: 'own_subuser', subuserId: entry.userId, nametag };
  return toTarget(directory, callerId, entry, { lookups });
}

/** Reports whether a subuser could have this name. */
export function mayBeName(typed: string): boolean {
  return typed.trim() !== '' && typed.length <= maxNameLength;
}

/**
 * Finds the caller's subuser with this name. Names need not be unique; a name that several subusers have is refused.
 */
export async function findOwnSubuserByName(
  { findOwnSubusers }: { readonly findOwnSubusers: FindOwnSubusers },
  callerId: string,
  typed: string,
): Promise<SendTarget> {
  const [found, ...others] = await findOwnSubusers(callerId, typed.trim());
  const checks = new FieldChecks();
  // Text that is neither a subuser's name nor a possible nametag is reported as an invalid nametag.
  if (!found) checks.nametag(typed, 'nametag');
  checks
    .require(
      others.length === 0,
      'nametag',
      'matches the names of several of your subusers; give the nametag of the one you mean instead',
    )
    .done();
  if (!found) throw unknownNametag();
  return { kind: 'own_subuser', subuserId: found.userId, nametag: found.nametag };
}
