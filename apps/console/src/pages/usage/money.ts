const microsPerUnit = 1_000_000;

/** An amount in millionths of a currency, with as many digits as a small one needs. */
export function formatMoney(micros: number, currency: string): string {
  const amount = micros / microsPerUnit;
  const maximumFractionDigits = amount !== 0 && Math.abs(amount) < 1 ? 4 : 2;
  const style = { style: 'currency', currency: currency || 'USD' } as const;
  return new Intl.NumberFormat(undefined, {
    ...style,
    minimumFractionDigits: 2,
    maximumFractionDigits,
  }).format(amount);
}

/** The amount that a person entered, in millionths; undefined when it is none. */
export function readMoney(text: string): number | undefined {
  const amount = Number(text.replace(',', '.'));
  return text.trim() === '' || !Number.isFinite(amount) || amount < 0
    ? undefined
    : Math.round(amount * microsPerUnit);
}

/** A number of tokens, short: `1.2 M`. */
export function formatTokens(tokens: number): string {
  return new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 }).format(
    tokens,
  );
}
