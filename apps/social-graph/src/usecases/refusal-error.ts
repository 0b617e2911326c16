import { AppError } from '@daycare/errors';
import type { Refusal } from '../domain/tie';
import { unknownNametag } from './people';

/** What a caller hears when a rule refuses its call. */
export function refusalError(
  { refused, allowedAt }: Refusal,
  nametag: string,
  now: Date,
): AppError {
  switch (refused) {
    case 'cooldown': {
      const at = (allowedAt ?? now).toISOString();
      return precondition('COOLDOWN', nametag, `You may ask ${nametag} again from ${at}`, {
        retryAfterMs: (allowedAt ?? now).getTime() - now.getTime(),
        metadata: { allowed_at: at },
      });
    }
    case 'no_relationship':
      return precondition(
        'NO_RELATIONSHIP',
        nametag,
        `There is nothing between you and ${nametag} to remove`,
      );
    case 'not_friends':
      return precondition('NOT_FRIENDS', nametag, `You and ${nametag} are not friends`);
    case 'blocked_by_caller':
      return precondition('BLOCKED_BY_YOU', nametag, `You block ${nametag}; unblock first`);
    case 'not_blocked':
      return precondition('NOT_BLOCKED', nametag, `You do not block ${nametag}`);
    case 'no_share':
      return unknownNametag();
  }
}

function precondition(
  type: string,
  subject: string,
  description: string,
  more: { retryAfterMs?: number; metadata?: Record<string, string> } = {},
): AppError {
  return new AppError('FAILED_PRECONDITION', description, {
    precondition: { type, subject, description },
    ...more,
  });
}
