/** What the program `convert` does with the file that it reads from its standard input. */
export type Conversion = ScaleImage | ReadPdf;

/** Converts an image of any supported type to a JPEG. */
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
  /** Longer text is truncated, and a line at the end says so. */
  readonly maxCharacters: number;
}

/** An image with more pixels is not decoded, because a small file can claim any dimensions. */
export const maxDecodedPixels = 50_000_000;
