import { LRUCache } from 'lru-cache';
import type { Converter } from '../convert/converter';
import { isShowable } from '../domain/image-size';
import type { FileStore } from '../store/file-store';

export interface LoadImagesDeps {
  readonly files: Pick<FileStore, 'findMany' | 'open'>;
  readonly convert: Converter;
  readonly maxCachedBytes?: number;
}

/** An image's file, and the maximum dimensions of the image once it is loaded. */
export interface WantedImage {
  readonly fileId: string;
  readonly width: number;
  readonly height: number;
}

export interface LoadedImage {
  readonly mediaType: 'image/jpeg';
  readonly data: Uint8Array;
}

/** The user that a file belongs to, and the owner whose limit on conversions applies to it. */
export interface FileUser {
  readonly userId: string;
  readonly ownerUserId: string | undefined;
}

/** The limit for one image: sixteen of them have to fit into one request. */
const maxImageBytes = 262_144;
const defaultCachedBytes = 32 * 1_048_576;
/**
 * How much of the cache an image that cannot be shown takes up; remembering it avoids another attempt on
 * every request.
 */
const failureBytes = 1_024;
const failureMs = 10 * 60_000;

/**
 * Loads images in the form that is sent to models, from a cache of bounded size, because a turn's
 * rounds send the same ones. A deleted file is not sent, even if it is cached. An image that is missing
 * from the result cannot be shown.
 */
export function makeLoadImages({
  files,
  convert,
  maxCachedBytes = defaultCachedBytes,
}: LoadImagesDeps) {
  const cache = new LRUCache<string, LoadedImage | 'none', Request>({
    maxSize: maxCachedBytes,
    sizeCalculation: (image) => (image === 'none' ? failureBytes : image.data.length + 1),
    fetchMethod: async (_key, _stale, { context: { user, image }, options }) => {
      const loaded = await loadImage({ files, convert }, user, image);
      if (!loaded) options.ttl = failureMs;
      return loaded ?? 'none';
    },
  });
  return async (
    user: FileUser,
    wanted: readonly WantedImage[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, LoadedImage>> => {
    const loaded = new Map<string, LoadedImage>();
    if (wanted.length === 0) return loaded;
    const ids = wanted.map(({ fileId }) => fileId);
    const existing = new Set((await files.findMany(user.userId, ids)).map(({ id }) => id));
    for (const image of wanted) {
      signal?.throwIfAborted();
      if (!existing.has(image.fileId)) continue;
      const key = `${user.userId} ${image.fileId} ${image.width}x${image.height}`;
      const found = await cache.fetch(key, { context: { user, image } });
      if (found && found !== 'none') loaded.set(image.fileId, found);
    }
    return loaded;
  };
}

interface Request {
  readonly user: FileUser;
  readonly image: WantedImage;
}

async function loadImage(
  { files, convert }: Pick<LoadImagesDeps, 'files' | 'convert'>,
  { userId, ownerUserId = userId }: FileUser,
  { fileId, width, height }: WantedImage,
): Promise<LoadedImage | undefined> {
  const found = await files.open(userId, fileId);
  if (!found || !isShowable(found.file.mimeType)) return undefined;
  const limits = { maxEdge: Math.max(width, height), maxPixels: width * height };
  const conversion = { kind: 'image', ...limits, maxBytes: maxImageBytes } as const;
  const data = await convert(ownerUserId, conversion, found);
  return data && { mediaType: 'image/jpeg', data };
}
