import { AppError } from '@daycare/api';
import type { Refusal } from '../domain/tie/tie';
import { unknownNametag } from './people';

/** The error for a call that a rule refuses. */
export function refusalError(
  { refused, allowedAt }: Refusal,
  nametag: string,
  now: Date,
): AppError {
  switch (refused) {
    case 'cooldown': {
      const at = (allowedAt ?? now).toISOString();
      return precondition(
        'COOLDOWN',
        nametag,
        `You may send ${nametag} a friend request again from ${at}`,
        {
          retryAfterMs: (allowedAt ?? now).getTime() - now.getTime(),
          metadata: { allowed_at: at },
        },
      );
    }
    case 'no_relationship':
      return precondition(
        'NO_RELATIONSHIP',
        nametag,
        `You have no connection with ${nametag} to remove`,
      );
    case 'not_friends':
      return precondition('NOT_FRIENDS', nametag, `You and ${nametag} are not friends`);
    case 'blocked_by_caller':
      return precondition(
        'BLOCKED_BY_YOU',
        nametag,
        `You have blocked ${nametag}; unblock them first`,
      );
    case 'not_blocked':
      return precondition('NOT_BLOCKED', nametag, `You have not blocked ${nametag}`);
    case 'no_share':
      return unknownNametag();
    case 'too_many_shares':
      return overQuota(
        'shares per friend',
        `You and ${nametag} share too many subusers; end one of the shares first`,
      );
    case 'too_many_blocks':
      return overQuota(
        'blocked users',
        'You have blocked too many users; unblock one of them first',
      );
    case 'too_many_offers': {
      const at = allowedAt ?? now;
      return overQuota(
        'offers per hour',
        `You have offered ${nametag} too many subusers in one hour; try again after ${at.toISOString()}`,
        at.getTime() - now.getTime(),
      );
    }
  }
}

function overQuota(description: string, text: string, retryAfterMs?: number): AppError {
  const quota = { subject: 'caller', description };
  const details = { quota, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  return new AppError('QUOTA_EXCEEDED', text, details);
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
