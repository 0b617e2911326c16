/**
 * Selects the documents after a position in a sorted list. `position` has the values of the sorted fields in the last
 * document of the previous page.
 */
export function afterPosition<F extends string>(
  sort: Readonly<Record<F, 1 | -1>>,
  position: Readonly<Record<NoInfer<F>, unknown>>,
): { readonly $or: object[] } {
  const fields = Object.keys(sort) as F[];
  const branches = fields.map((field, index) => ({
    ...Object.fromEntries(fields.slice(0, index).map((earlier) => [earlier, position[earlier]])),
    [field]: { [sort[field] === 1 ? '$gt' : '$lt']: position[field] },
  }));
  return { $or: branches };
}
