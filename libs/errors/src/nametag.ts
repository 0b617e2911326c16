/** A nametag as it is stored: lower-case words followed by digits, e.g. `swiftfox42`. */
export type Nametag = string;

export const nametagPattern = /^[a-z]+[0-9]+$/;

const longestNametag = 64;

/** What a person typed, as a nametag; undefined when it cannot be one. */
export function parseNametag(typed: string): Nametag | undefined {
  if (typed.length > 2 * longestNametag) return undefined;
  const nametag = typed.trim().toLowerCase();
  return nametag.length <= longestNametag && nametagPattern.test(nametag) ? nametag : undefined;
}
