import sharp from 'sharp';
import { maxDecodedPixels, type ScaleImage } from '../../files/domain/conversion';

/** Only these decoders are enabled; the others are for formats that are never shown to models. */
const decoders = ['Jpeg', 'Png', 'Webp', 'Nsgif'].map((name) => `VipsForeignLoad${name}Buffer`);
const qualities = [85, 70, 50];
/** Both sides of an image that is still too large are multiplied by this. */
const shrinkFactor = 0.7;

/** Converts an image, or the first frame of an animation, into an upright JPEG that fits the limits. */
export async function scaleImage(content: Buffer, limits: ScaleImage): Promise<Buffer> {
  sharp.concurrency(1);
  sharp.cache(false);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: decoders });
  const pixels = await decode(content, limits);
  let edge = Math.max(pixels.raw.width, pixels.raw.height);
  for (; edge >= 1; edge = Math.floor(edge * shrinkFactor)) {
    for (const quality of qualities) {
      const jpeg = await encode(pixels, edge, quality);
      if (jpeg.length <= limits.maxBytes) return jpeg;
    }
  }
  throw new Error('the image cannot be made small enough');
}

interface Pixels {
  readonly data: Buffer;
  readonly raw: {
    readonly width: number;
    readonly height: number;
    readonly channels: 1 | 2 | 3 | 4;
  };
}

/** Scales the image while decoding it, so that a large one usually need not be held in memory in full. */
async function decode(content: Buffer, { maxEdge, maxPixels }: ScaleImage): Promise<Pixels> {
  const options = { limitInputPixels: maxDecodedPixels, failOn: 'error', pages: 1 } as const;
  const { width, height } = await sharp(content, options).metadata();
  const scale = Math.min(
    1,
    maxEdge / Math.max(width, height),
    Math.sqrt(maxPixels / (width * height)),
  );
  const edge = Math.max(1, Math.floor(Math.max(width, height) * scale));
  const { data, info } = await sharp(content, options)
    .autoOrient()
    .resize({ width: edge, height: edge, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: 'white' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const raw = { width: info.width, height: info.height, channels: info.channels as 3 };
  return { data, raw };
}

function encode({ data, raw }: Pixels, edge: number, quality: number): Promise<Buffer> {
  return sharp(data, { raw })
    .resize({ width: edge, height: edge, fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality })
    .toBuffer();
}
