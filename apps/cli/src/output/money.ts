/** Formats an amount given in millionths of a currency unit, e.g. `1.50`. Avoids floating point, so that it is exact. */
export function toAmount(micros: number): string {
  const digits = String(micros).padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6).replace(/0{1,4}$/, '')}`;
}

/** Parses an amount such as `1.50` into millionths; undefined if the text is not an amount. */
export function readAmount(text: string): number | undefined {
  const [, whole = '', fraction = ''] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  return whole === '' ? undefined : Number(`${whole}${fraction.padEnd(6, '0')}`);
}
