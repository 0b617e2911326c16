type ProtoEnum = Readonly<Record<string, string>>;

/** The values of an enum as plain words: `PENDING_OUT` is `pending_out`. */
export type EnumWord<E extends ProtoEnum> = Lowercase<
  Exclude<keyof E & string, 'UNSPECIFIED' | 'UNRECOGNIZED'>
>;

/** The word for an enum value; undefined when it is unspecified or unknown to this version. */
export function findWord<E extends ProtoEnum>(type: E, value: E[keyof E]): EnumWord<E> | undefined {
  const key = Object.keys(type).find((each) => type[each] === value);
  const hasWord = key !== undefined && key !== 'UNSPECIFIED' && key !== 'UNRECOGNIZED';
  return hasWord ? (key.toLowerCase() as EnumWord<E>) : undefined;
}

/** As `findWord`, for values that a peer must have set; throws when there is no word. */
export function wordOf<E extends ProtoEnum>(type: E, value: E[keyof E]): EnumWord<E> {
  const word = findWord(type, value);
  if (word === undefined) throw new Error(`no word for the enum value ${value}`);
  return word;
}

/** The enum value of a word. */
export function enumOf<E extends ProtoEnum>(type: E, word: EnumWord<E>): E[keyof E] {
  return type[word.toUpperCase() as keyof E];
}
