import { isForeign } from '@daycare/api';
import {
  foldContext,
  type AttachedFile,
  type ContextMessage,
  type ShownImage,
} from '../../../agents';
import { scaledTo, type ImageRules } from '../../../models';

/**
 * How many images a request may contain, and how many of the newest are kept at most once older ones have to be left
 * out (up to `maxImages` if the newest message alone has more).
 */
const maxImages = 16;
const keptImages = 8;
/** The largest share of a request that images may take up. */
const maxShare = 0.5;

/** The image types that are shown to models. A file's type is determined by its content. */
const showable = /^image\/(png|jpeg|gif|webp)$/;

/**
 * Adds the images to show to a model. Older images are only named, as are images from guests and outsiders, and all
 * images if the model accepts none. The choice depends only on the context and the model's limits, and images are left
 * out in groups, so that the beginning of requests rarely changes and providers can cache it.
 */
export function showImages(
  context: readonly ContextMessage[],
  rules: ImageRules | undefined,
  maxRequestTokens: number,
): readonly ContextMessage[] {
  if (!rules || !hasImages(context)) return context;
  const leftOut = countLeftOut(context, rules, maxRequestTokens * maxShare);
  let position = 0;
  return context.map((message) => {
    if (message.role !== 'user') return message;
    const images = imagesOf(message, rules).filter(() => (position += 1) > leftOut);
    return images.length > 0 ? { ...message, images } : message;
  });
}

/** Returns how many of the oldest images are left out. */
function countLeftOut(
  context: readonly ContextMessage[],
  rules: ImageRules,
  maxTokens: number,
): number {
  const tokens: number[] = [];
  let leftOut = 0;
  for (const message of context) {
    const images = imagesOf(message, rules);
    tokens.push(...images.map((image) => image.tokens));
    const shownTokens = tokens.slice(leftOut);
    if (shownTokens.length <= maxImages && sum(shownTokens) <= maxTokens) continue;
    // A message with many images keeps them all, unless they alone exceed a limit.
    const kept = Math.max(keptImages, Math.min(images.length, maxImages));
    leftOut = Math.max(leftOut, tokens.length - kept);
    while (leftOut < tokens.length && sum(tokens.slice(leftOut)) > maxTokens / 2) leftOut += 1;
  }
  return leftOut;
}

function imagesOf(message: ContextMessage, rules: ImageRules): ShownImage[] {
  if (message.role !== 'user') return [];
  return message.files.filter(isShowable).map(({ id, dimensions }) => {
    const scaled = scaledTo(rules, dimensions);
    return { fileId: id, ...scaled, tokens: rules.tokensOf(scaled) };
  });
}

const hasImages = foldContext(
  false,
  (found, message) => found || (message.role === 'user' && message.files.some(isShowable)),
);

/**
 * Reports whether a file is an image to show. Images written in the turn of a guest or outsider are not shown: the
 * agent has to read them with a tool, which lowers the trust of its turn.
 */
function isShowable({ mimeType, writtenBy }: AttachedFile): boolean {
  return showable.test(mimeType) && (writtenBy === undefined || !isForeign(writtenBy));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
