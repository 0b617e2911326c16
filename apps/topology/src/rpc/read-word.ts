import { invalidField } from '@daycare/api';
import { findWord, type EnumWord } from '@daycare/contracts/enum-words';

type RequestEnum = Readonly<Record<string, string>> & { readonly UNSPECIFIED: string };

/** Returns the word for an enum value in a request, or undefined if it is unspecified; throws if it is unknown. */
export function readWord<E extends RequestEnum>(
  type: E,
  value: E[keyof E],
  field: string,
): EnumWord<E> | undefined {
  const word = findWord(type, value);
  if (word === undefined && value !== type.UNSPECIFIED)
    throw invalidField(field, 'has a value that this version does not support');
  return word;
}
