/**
 * Where an item is in a feed: its order, assigned by the database's clock, and an id that distinguishes items with the
 * same order.
 */
export interface FeedKey {
  readonly order: bigint;
  /** Empty for history entries, whose orders are unique. */
  readonly id: string;
}

/** How much of a feed has been sent. */
export interface FeedPosition {
  /** Everything up to this order has been sent. */
  readonly low: bigint;
  /** The items beyond `low` that have been sent. */
  readonly ahead: readonly FeedKey[];
  /** The entry whose records have been sent only up to a sequence number, if there is one. */
  readonly partial?: { readonly order: bigint; readonly sequence: number } | undefined;
}

export const startOfFeed: FeedPosition = { low: 0n, ahead: [] };

const version = 'c1';
const maxLength = 131_072;
const fieldSeparator = '.';

/**
 * Encodes a position as text for clients. Every record is sent with a position, so the text is kept short: the orders
 * of the items ahead lie close together, so only the differences between them are written.
 */
export function encodePosition({ low, ahead, partial }: FeedPosition): string {
  let before = low;
  const keys = ahead.map(({ order, id }) => {
    const distance = order - before;
    before = order;
    return id === '' ? distance.toString(36) : `${distance.toString(36)}~${id}`;
  });
  const partialText = partial ? `${(partial.order - low).toString(36)}~${partial.sequence}` : '';
  return [version, low.toString(36), partialText, ...keys].join(fieldSeparator);
}

/** Returns undefined for text that is not a position. */
export function decodePosition(text: string): FeedPosition | undefined {
  if (text === '') return startOfFeed;
  if (text.length > maxLength || !/^c1\.[0-9a-z]{1,13}\.[0-9a-z~-]*(\.[0-9a-z~-]+)*$/.test(text))
    return undefined;
  const [, lowText = '', partialText = '', ...keys] = text.split(fieldSeparator);
  const low = toOrder(lowText);
  if (low === undefined) return undefined;
  const ahead: FeedKey[] = [];
  let before = low;
  for (const key of keys) {
    const [distance = '', id = ''] = key.split('~');
    const order = offset(before, distance);
    if (order === undefined) return undefined;
    ahead.push({ order, id });
    before = order;
  }
  if (partialText === '') return { low, ahead };
  const [distance = '', sequence = ''] = partialText.split('~');
  const order = offset(low, distance);
  if (order === undefined || !/^[1-9]\d{0,14}$/.test(sequence)) return undefined;
  return { low, ahead, partial: { order, sequence: Number(sequence) } };
}

const maxOrder = (1n << 64n) - 1n;

function toOrder(text: string): bigint | undefined {
  const value = parse(text);
  return value !== undefined && value >= 0n && value <= maxOrder ? value : undefined;
}

function offset(from: bigint, distance: string): bigint | undefined {
  const value = parse(distance);
  const order = value === undefined ? undefined : from + value;
  return order !== undefined && order >= 0n && order <= maxOrder ? order : undefined;
}

function parse(text: string): bigint | undefined {
  const [, sign = '', digits] = /^(-?)([0-9a-z]{1,13})$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  let value = 0n;
  for (const digit of digits) value = value * 36n + BigInt(parseInt(digit, 36));
  return sign === '' ? value : -value;
}
