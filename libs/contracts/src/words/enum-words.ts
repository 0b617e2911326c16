type ProtoEnum = Readonly<Record<string, string>>;

/** The values of an enum as plain words: `PENDING_OUT` is `pending_out`. */
export type EnumWord<E extends ProtoEnum> = Lowercase<
  Exclude<keyof E & string, 'UNSPECIFIED' | 'UNRECOGNIZED'>
>;

/** Returns the word for an enum value, or undefined if the value is unspecified or unknown to this version. */
export function findWord<E extends ProtoEnum>(type: E, value: E[keyof E]): EnumWord<E> | undefined {
  return tablesOf(type).words.get(value) as EnumWord<E> | undefined;
}

/** Like `findWord`, but for values that a peer must have set: throws if there is no word. */
export function wordOf<E extends ProtoEnum>(type: E, value: E[keyof E]): EnumWord<E> {
  const word = findWord(type, value);
  if (word === undefined) throw new Error(`no word for the enum value ${value}`);
  return word;
}

/** Returns the enum value for a word. */
export function enumOf<E extends ProtoEnum>(type: E, word: EnumWord<E>): E[keyof E] {
  return tablesOf(type).values.get(word) as E[keyof E];
}

/** Returns all words of an enum. */
export function wordsOf<E extends ProtoEnum>(type: E): EnumWord<E>[] {
  return [...tablesOf(type).values.keys()] as EnumWord<E>[];
}

interface EnumTables {
  /** Words by enum value. */
  readonly words: ReadonlyMap<string, string>;
  /** Enum values by word. */
  readonly values: ReadonlyMap<string, string>;
}

/** Each enum's tables are built only once, because converting a long list looks up thousands of values. */
const knownTables = new WeakMap<ProtoEnum, EnumTables>();

function tablesOf(type: ProtoEnum): EnumTables {
  const builtTables = knownTables.get(type);
  if (builtTables) return builtTables;
  const pairs = Object.entries(type)
    .filter(([key]) => key !== 'UNSPECIFIED' && key !== 'UNRECOGNIZED')
    .map(([key, value]) => [key.toLowerCase(), value] as const);
  const words = new Map(pairs.map(([word, value]) => [value, word]));
  const tables = { words, values: new Map(pairs) };
  knownTables.set(type, tables);
  return tables;
}
