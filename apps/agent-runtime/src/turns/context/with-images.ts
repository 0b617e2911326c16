import { raceAbort } from '@daycare/async';
import type { Agent, ShownImage } from '../../agents';
import type { LoadedImage } from '../../models';
import type { FairSemaphore } from '../../shared/concurrency/fair-semaphore';
import { orStepFailed } from './step-failed';

export type LoadImages = (
  agent: Pick<Agent, 'userId' | 'ownerUserId'>,
  images: readonly ShownImage[],
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, LoadedImage>>;

export interface WithImagesDeps {
  /** Loads images in the size to show to the model; the result lacks those that cannot be shown. */
  readonly loadImages: LoadImages;
  /**
   * Limits how many images the requests of one owner's agents, and all requests of this replica, hold at the
   * same time.
   */
  readonly imageSlots: Pick<FairSemaphore, 'acquireUnless' | 'release'>;
}

/**
 * While the model answers, a request holds each of its images (up to 256 KiB) twice: as loaded, and as base64
 * in its body. The limits allow the images of eight full requests per replica, and of two per owner.
 */
export const imageSlots = { total: 128, perOwner: 32 } as const;

/**
 * Makes a call with its images, after waiting until enough image slots are free. A call without images never
 * waits.
 */
export async function withImages<T>(
  agent: Pick<Agent, 'userId' | 'ownerUserId'>,
  shown: readonly ShownImage[],
  { loadImages, imageSlots }: WithImagesDeps,
  signal: AbortSignal,
  call: (images: ReadonlyMap<string, LoadedImage>) => Promise<T>,
): Promise<T> {
  const owner = agent.ownerUserId ?? agent.userId;
  const { length: count } = shown;
  const load = () => orStepFailed(() => raceAbort(loadImages(agent, shown, signal), signal));
  if (count === 0) return call(await load());
  await orStepFailed(() => imageSlots.acquireUnless(signal, owner, count));
  try {
    return await call(await load());
  } finally {
    imageSlots.release(owner, count);
  }
}
