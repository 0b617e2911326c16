import { createHash } from 'node:crypto';
import { sniffedBytes, sniffType } from '../domain/file-type';
import { requireFileHash, requireFileSize, type FileDraft } from '../domain/stored-file';

export interface ContentFacts {
  readonly mimeType: string;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** Looks at a file's content on its way: how much it is, of which type, and whether it is as promised. */
export class FileContent {
  readonly #hash = createHash('sha256');
  readonly #head = Buffer.alloc(sniffedBytes);
  #size = 0;

  constructor(
    private readonly draft: Pick<FileDraft, 'claimedType' | 'promisedSha256'>,
    private readonly source: AsyncIterable<Uint8Array>,
  ) {}

  /**
   * Hands the content on piece by piece, once; returns what it was. Throws INVALID_ARGUMENT as soon
   * as it is too large, and at its end when it is not what was promised.
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
