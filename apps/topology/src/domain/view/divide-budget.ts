/**
 * Divides `budget` among demands, returning the shares in the order of the demands. No share exceeds its
 * demand; what small demands leave unused is divided among the larger ones.
 */
export function divideBudget(demands: readonly number[], budget: number): readonly number[] {
  const sorted = [...demands.entries()].sort(([, one], [, other]) => one - other);
  const shares = demands.map(() => 0);
  let remaining = budget;
  sorted.forEach(([index, demand], position) => {
    const share = Math.min(demand, Math.floor(remaining / (demands.length - position)));
    shares[index] = share;
    remaining -= share;
  });
  return shares;
}
