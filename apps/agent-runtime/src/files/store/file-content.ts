import { createHash } from 'node:crypto';
import { previewedBytes, previewOf, type FilePreview } from '../domain/file-preview';
import { sniffedBytes, sniffType } from '../domain/file-type';
import { requireFileHash, requireFileSize, type FileDraft } from '../domain/stored-file';

export interface ContentFacts {
  readonly mimeType: string;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly preview: FilePreview;
}

/**
 * Inspects a file's content as it passes through: its size, its type, how it begins, and whether it matches
 * the expected hash.
 */
export class FileContent {
  readonly #hash = createHash('sha256');
  readonly #head: Uint8Array[] = [];
  #size = 0;

  constructor(
    private readonly draft: Pick<FileDraft, 'claimedType' | 'promisedSha256'>,
    private readonly source: AsyncIterable<Uint8Array>,
  ) {}

  /**
   * Passes the content on, chunk by chunk, and returns its properties; call it only once. Throws INVALID_ARGUMENT as
   * soon as the content is too large, and at the end if its hash is not the expected one.
   */
  async read(onPiece: (piece: Uint8Array) => Promise<void> | void): Promise<ContentFacts> {
    for await (const piece of this.source) {
      this.#inspect(piece);
      await onPiece(piece);
    }
    const sha256 = this.#hash.digest('hex');
    requireFileHash(this.draft.promisedSha256, sha256);
    const head = Buffer.concat(this.#head);
    const mimeType = sniffType(head.subarray(0, sniffedBytes), this.draft.claimedType);
    return { sha256, mimeType, preview: previewOf(head, mimeType, this.#size) };
  }

  #inspect(piece: Uint8Array): void {
    requireFileSize(this.#size + piece.length);
    // Copied, because the piece may be part of a buffer that is reused.
    if (this.#size < previewedBytes)
      this.#head.push(Uint8Array.from(piece.subarray(0, previewedBytes - this.#size)));
    this.#size += piece.length;
    this.#hash.update(piece);
  }
}
