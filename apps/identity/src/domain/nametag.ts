import type { Nametag } from '@daycare/api';
import { firstWords, secondWords } from './nametag-words';

/** The maximum number of digits in each attempt: short nametags first, then enough digits for billions of users. */
const digitsByTry = [2, 2, 3, 4, 5, 6, 8, 10] as const;

export const nametagTries = digitsByTry.length;

/** Returns a random integer from 0 up to, but not including, its argument. */
export type Draw = (below: number) => number;

/** Draws a nametag for the given attempt, counted from 0. All randomness comes from `draw`. */
export function drawNametag(tryNumber: number, draw: Draw): Nametag {
  const digits = digitsByTry[Math.min(tryNumber, digitsByTry.length - 1)] ?? 2;
  const first = firstWords[draw(firstWords.length)] ?? '';
  const second = secondWords[draw(secondWords.length)] ?? '';
  return `${first}${second}${draw(10 ** digits)}`;
}
