const microsPerUnit = 1_000_000;

/** Formats an amount given in millionths of a currency unit; small amounts get more digits. */
export function formatMoney(micros: number, currency: string): string {
  const amount = micros / microsPerUnit;
  const maximumFractionDigits = amount !== 0 && Math.abs(amount) < 1 ? 4 : 2;
  return formatOf(currency || 'USD', maximumFractionDigits).format(amount);
}

/** The formats created so far, which are reused because creating one is much slower than using it. */
const formats = new Map<string, Intl.NumberFormat>();

function formatOf(currency: string, maximumFractionDigits: number): Intl.NumberFormat {
  const key = `${currency} ${maximumFractionDigits}`;
  const digits = { minimumFractionDigits: 2, maximumFractionDigits };
  const format =
    formats.get(key) ??
    new Intl.NumberFormat(undefined, { style: 'currency', currency, ...digits });
  formats.set(key, format);
  return format;
}

/** Converts an amount that a person has entered to millionths; undefined if the text is not an amount. */
export function readMoney(text: string): number | undefined {
  const isAmount = /^\d{1,9}([.,]\d{1,6})?$/.test(text.trim());
  return isAmount ? Math.round(Number(text.replace(',', '.')) * microsPerUnit) : undefined;
}

const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

/** Formats a number of tokens in short form, e.g. `1.2M`. */
export function formatTokens(tokens: number): string {
  return compact.format(tokens);
}
