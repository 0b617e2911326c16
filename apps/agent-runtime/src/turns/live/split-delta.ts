/** A piece of an answer, and how many characters (code points) of the answer come before it. */
export interface DeltaPiece {
  readonly text: string;
  readonly position: number;
}

/** In UTF-16 units; the transport accepts this many even if all of them are escaped. */
export const maxPieceLength = 16_384;

/** Splits a part of an answer into pieces small enough to publish, without splitting a character. */
export function splitDelta(text: string, position: number): DeltaPiece[] {
  const pieces: DeltaPiece[] = [];
  let at = position;
  for (let start = 0; start < text.length;) {
    const piece = pieceFrom(text, start);
    pieces.push({ text: piece, position: at });
    start += piece.length;
    at += countCharacters(piece);
  }
  return pieces;
}

export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function pieceFrom(text: string, start: number): string {
  const piece = text.slice(start, start + maxPieceLength);
  const isSplit =
    piece.length > 1 && /[\uD800-\uDBFF]$/.test(piece) && start + piece.length < text.length;
  return isSplit ? piece.slice(0, -1) : piece;
}
