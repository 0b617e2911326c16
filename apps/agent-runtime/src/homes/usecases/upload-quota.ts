import type { UploadQuota } from '../../files';
import { noSize, type HomeSize } from '../domain/home-size';
import { HomeQuota, type HomeQuotaDeps } from './home-quota';

/** Counts uploads against owners' quotas, which uploads share with directories. */
export function makeUploadQuota(deps: Omit<HomeQuotaDeps, 'kind'>): UploadQuota {
  const quota = new HomeQuota({ ...deps, kind: 'uploads' });
  return {
    async take(userId, size) {
      const reservation = await quota.take(userId, size);
      const settle = async (used: HomeSize): Promise<void> => {
        const isSettled = await quota.settle(reservation, { used, freed: noSize });
        if (!isSettled && used.entries + used.bytes > 0) await quota.recount(userId);
      };
      return { ...size, settle };
    },
    recount: (userId) => quota.recount(userId),
  };
}
