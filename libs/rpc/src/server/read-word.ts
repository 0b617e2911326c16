import { invalidField } from '@daycare/api';
import { findWord, wordsOf, type EnumWord } from '@daycare/contracts/enum-words';

type RequestEnum = Readonly<Record<string, string>> & { readonly UNSPECIFIED: string };

/** Returns the word for an enum value in a request, or undefined if it is unspecified; throws if it is unknown. */
export function readWord<E extends RequestEnum>(
  type: E,
  value: E[keyof E],
  field: string,
): EnumWord<E> | undefined {
  return value === type.UNSPECIFIED ? undefined : requireWord(type, value, field);
}

/** Like `readWord`, but for values that the caller must set: throws if the value is unspecified, too. */
export function requireWord<E extends RequestEnum>(
  type: E,
  value: E[keyof E],
  field: string,
): EnumWord<E> {
  const word = findWord(type, value);
  if (word === undefined) throw invalidField(field, `must be one of ${wordsOf(type).join(', ')}`);
  return word;
}
