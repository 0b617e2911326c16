/** What the program `convert` does with the file that it reads from its standard input. */
export type Conversion = ScaleImage | ReadPdf;

/** Makes a JPEG of an image of any supported type. */
export interface ScaleImage {
  readonly kind: 'image';
  /** The limit for the longer side, in pixels. */
  readonly maxEdge: number;
  readonly maxPixels: number;
  /** The limit for the JPEG; quality and then size are reduced until it fits. */
  readonly maxBytes: number;
}

/** Extracts the text of a PDF. */
export interface ReadPdf {
  readonly kind: 'pdf';
  /** The rest is left out, and a line at the end says so. */
  readonly maxCharacters: number;
}

/** An image with more pixels is not decoded: a small file can claim to be of any size. */
export const maxDecodedPixels = 50_000_000;
