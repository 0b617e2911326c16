import type { ImageDimensions } from '../../agents';
import type { ResolvedModel } from '../catalogue/model-entry';

/** A provider's limits for images, and how many tokens it counts them as. */
export interface ImageRules {
  /** The limit for the longer side, in pixels; larger images are scaled down before they are sent. */
  readonly maxEdge: number;
  /** The limit for the whole image. */
  readonly maxPixels: number;
  /** How many tokens an image counts as, given its dimensions after scaling. */
  readonly tokensOf: (scaled: ImageDimensions) => number;
}

/** One token per 750 pixels. The provider itself would scale down images above these limits. */
const anthropic: ImageRules = {
  maxEdge: 1_568,
  maxPixels: 1_200_000,
  tokensOf: ({ width, height }) => Math.ceil((width * height) / 750),
};

/**
 * Older models count 258 tokens per tile of 768 pixels, newer ones at most 1,120 per image; the higher of
 * the two is used.
 */
const google: ImageRules = {
  maxEdge: 1_536,
  maxPixels: 1_536 * 1_536,
  tokensOf: (scaled) => Math.max(1_120, 258 * tiles(scaled, 768)),
};

/** Tiles of 512 pixels, counted after the shorter side has been scaled down to at most 768. */
function openAiTiles(base: number, perTile: number): ImageRules {
  const tokensOf = (image: ImageDimensions): number =>
    base + perTile * tiles(fitShorter(image, 768), 512);
  return { maxEdge: 2_048, maxPixels: 2_048 * 1_536, tokensOf };
}

/** At most 1,536 square patches, with edges of 32 pixels; each patch counts as `perPatch` tokens. */
function openAiPatches(perPatch: number): ImageRules {
  const tokensOf = (image: ImageDimensions): number =>
    Math.ceil(Math.min(1_536, tiles(image, 32)) * perPatch);
  return { maxEdge: 2_048, maxPixels: 1_536 * 32 * 32, tokensOf };
}

/** By model id; the first pattern that matches applies. */
const openAi: readonly (readonly [RegExp, ImageRules])[] = [
  [/^gpt-4o-mini/, openAiTiles(2_833, 5_667)],
  [/-nano\b/, openAiPatches(2.46)],
  [/^o4-mini/, openAiPatches(1.72)],
  [/-mini\b/, openAiPatches(1.62)],
  [/^gpt-4|^o[13]/, openAiTiles(85, 170)],
];
/** For models that match no pattern, such as newer ones: the higher of the two methods' counts. */
const newestOpenAi: ImageRules = {
  ...openAiPatches(1.62),
  tokensOf: (image) =>
    Math.max(openAiTiles(85, 170).tokensOf(image), openAiPatches(1.62).tokensOf(image)),
};

/** For unknown providers: an image size that every provider accepts, and a high estimate of the number of tokens. */
const anyProvider: ImageRules = {
  maxEdge: 1_024,
  maxPixels: 1_024 * 1_024,
  tokensOf: ({ width, height }) => Math.max(800, Math.ceil((width * height) / 400)),
};

/** Returns the rules for sending images to a model; undefined when it cannot see images. */
export function imageRulesOf({
  provider,
  id,
  capabilities,
}: Pick<ResolvedModel, 'provider' | 'id' | 'capabilities'>): ImageRules | undefined {
  if (!capabilities.images) return undefined;
  switch (provider) {
    case 'anthropic':
      return anthropic;
    case 'google':
      return google;
    case 'openai':
      return openAi.find(([pattern]) => pattern.test(id))?.[1] ?? newestOpenAi;
    default:
      return anyProvider;
  }
}

/** Scales an image's dimensions to fit; if they are unknown, returns those of the largest square that fits. */
export function scaledTo(
  { maxEdge, maxPixels }: Pick<ImageRules, 'maxEdge' | 'maxPixels'>,
  image?: ImageDimensions,
): ImageDimensions {
  const largest = Math.min(maxEdge, Math.floor(Math.sqrt(maxPixels)));
  const { width, height } = image ?? { width: largest, height: largest };
  const byEdge = maxEdge / Math.max(width, height);
  const byPixels = Math.sqrt(maxPixels / (width * height));
  const scale = Math.min(1, byEdge, byPixels);
  const side = (pixels: number): number => Math.max(1, Math.floor(pixels * scale));
  return { width: side(width), height: side(height) };
}

function fitShorter({ width, height }: ImageDimensions, maxShorter: number): ImageDimensions {
  const scale = Math.min(1, maxShorter / Math.min(width, height));
  return { width: width * scale, height: height * scale };
}

function tiles({ width, height }: ImageDimensions, edge: number): number {
  return Math.ceil(width / edge) * Math.ceil(height / edge);
}
