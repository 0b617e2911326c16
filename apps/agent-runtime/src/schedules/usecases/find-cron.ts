import { AppError, notFound } from '@daycare/api';
import type { Cron } from '../domain/schedule';
import type { CronStore } from '../store/cron-store';

/** Finds a cron; throws NOT_FOUND when the user has no such cron. */
export async function findCron(
  crons: Pick<CronStore, 'find'>,
  { userId, cronId }: { readonly userId: string; readonly cronId: string },
): Promise<Cron> {
  const cron = await crons.find(userId, cronId);
  if (!cron || cron === 'deleted') throw notFound('cron');
  return cron;
}

export function alreadyFired(): AppError {
  return new AppError('FAILED_PRECONDITION', 'The cron has already fired and will not fire again');
}

export function beingChanged(): AppError {
  return new AppError('CONFLICT', 'The cron is being changed; try again');
}
