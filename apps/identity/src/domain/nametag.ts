import type { Nametag } from '@daycare/errors';
import { firstWords, secondWords } from './nametag-words';

/** How many digits each further try draws: short tags while they last, room for billions after. */
const digitsByTry = [2, 2, 3, 4, 5, 6, 8, 10] as const;

export const nametagTries = digitsByTry.length;

/** Chooses a whole number from 0 up to, but not including, its argument. */
export type Draw = (below: number) => number;

/** The nametag for the given try, counted from 0. All chance comes from `draw`. */
export function drawNametag(tryNumber: number, draw: Draw): Nametag {
  const digits = digitsByTry[Math.min(tryNumber, digitsByTry.length - 1)] ?? 2;
  const first = firstWords[draw(firstWords.length)] ?? '';
  const second = secondWords[draw(secondWords.length)] ?? '';
  return `${first}${second}${draw(10 ** digits)}`;
}
