/**
 * Divides room among those who want some, in the order of the wishes: nobody gets more than it wants,
 * and what the modest leave is divided among the others.
 */
export function shareOut(wishes: readonly number[], room: number): readonly number[] {
  const sorted = [...wishes.entries()].sort(([, one], [, other]) => one - other);
  const shares = wishes.map(() => 0);
  let left = room;
  sorted.forEach(([index, wish], position) => {
    const share = Math.min(wish, Math.floor(left / (wishes.length - position)));
    shares[index] = share;
    left -= share;
  });
  return shares;
}
