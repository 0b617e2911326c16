import type { Settings } from '../../config';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { addressOf } from '../contexts/address-of';
import type { NamedContext } from '../contexts/context';
import { findLocalStack, readHeader } from '../contexts/local-stack';

export const adminHeaderOption = [
  '--admin-header <file>',
  'file with the admin\'s "authorization: …" line (default: the local stack\'s)',
] as const;

/** What an operator needs to call identity, the only service that accepts an operator's credential. */
export interface AdminAccess {
  readonly address: string;
  readonly authorization: string;
}

/**
 * Returns an operator's access to the context. Uses the credential in `file` or, without a file, that of the local
 * stack, which is never sent to another server.
 */
export function findAdminAccess(
  chosen: NamedContext,
  file: string | undefined,
  settings: Settings,
): AdminAccess {
  const { stack } = chosen.context;
  const local = file === undefined && stack !== undefined ? findLocalStack(stack) : undefined;
  const address = local ? local.addresses.identity : addressOf('identity', chosen, settings);
  const authorization = local ? local.readAdminAuthorization() : file && readHeader(file);
  if (authorization && address) return { authorization, address };
  throw new Failure(
    exitCodes.refused,
    file
      ? `Cannot read an "authorization: …" line from ${file}.`
      : 'No admin credential was found.',
    'Only the admin can do this; pass the credential file with --admin-header.',
  );
}
