/** A nametag as it is stored: lower-case words followed by digits, e.g. `swiftfox42`. */
export type Nametag = string;

export const nametagPattern = /^[a-z]+[0-9]+$/;

const maxNametagLength = 64;

/** Parses what a person typed; returns undefined if it is not a nametag. */
export function parseNametag(typed: string): Nametag | undefined {
  if (typed.length > 2 * maxNametagLength) return undefined;
  const nametag = typed.trim().toLowerCase();
  return nametag.length <= maxNametagLength && nametagPattern.test(nametag) ? nametag : undefined;
}
