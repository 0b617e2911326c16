import { createHash } from 'node:crypto';
import { sniffedBytes, sniffType } from '../domain/file-type';
import { requireFileHash, requireFileSize, type FileDraft } from '../domain/stored-file';

export interface ContentFacts {
  readonly mimeType: string;
  /** Lower-case hex. */
  readonly sha256: string;
}

/**
 * Inspects a file's content as it passes: its size, its type, and whether it matches the expected
 * hash.
 */
export class FileContent {
  readonly #hash = createHash('sha256');
  readonly #head = Buffer.alloc(sniffedBytes);
  #size = 0;

  constructor(
    private readonly draft: Pick<FileDraft, 'claimedType' | 'promisedSha256'>,
    private readonly source: AsyncIterable<Uint8Array>,
  ) {}

  /**
   * Passes the content on chunk by chunk, once; returns its properties. Throws INVALID_ARGUMENT as
   * soon as it is too large, and at the end if it does not match.
   */
  async read(onPiece: (piece: Uint8Array) => Promise<void> | void): Promise<ContentFacts> {
    for await (const piece of this.source) {
      this.#look(piece);
      await onPiece(piece);
    }
    const sha256 = this.#hash.digest('hex');
    requireFileHash(this.draft.promisedSha256, sha256);
    const head = this.#head.subarray(0, this.#size);
    return { sha256, mimeType: sniffType(head, this.draft.claimedType) };
  }

  #look(piece: Uint8Array): void {
    requireFileSize(this.#size + piece.length);
    if (this.#size < sniffedBytes)
      this.#head.set(piece.subarray(0, sniffedBytes - this.#size), this.#size);
    this.#size += piece.length;
    this.#hash.update(piece);
  }
}
