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
  /** The images of files, in the size that the model accepts; those that cannot be shown are missing. */
  readonly loadImages: LoadImages;
  /**
   * Limits how many images the requests of one owner, and all requests of this replica, hold at the same
   * time.
   */
  readonly imageRoom: Pick<FairSemaphore, 'acquireUnless' | 'release'>;
}

/**
 * While the model answers, a request holds each of its images (up to 256 KiB) twice: as loaded, and as base64
 * in its body. An owner may hold the images of two full requests, the replica those of eight.
 */
export const imageRoom = { total: 128, perOwner: 32 } as const;

/**
 * Makes a call with its images. Waits until the memory of the replica has room for them; a call without
 * images never waits.
 */
export async function withImages<T>(
  agent: Pick<Agent, 'userId' | 'ownerUserId'>,
  shown: readonly ShownImage[],
  { loadImages, imageRoom }: WithImagesDeps,
  signal: AbortSignal,
  call: (images: ReadonlyMap<string, LoadedImage>) => Promise<T>,
): Promise<T> {
  const owner = agent.ownerUserId ?? agent.userId;
  const { length: count } = shown;
  const load = () => orStepFailed(() => raceAbort(loadImages(agent, shown, signal), signal));
  if (count === 0) return call(await load());
  await orStepFailed(() => imageRoom.acquireUnless(signal, owner, count));
  try {
    return await call(await load());
  } finally {
    imageRoom.release(owner, count);
  }
}
