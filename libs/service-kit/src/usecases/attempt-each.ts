/** Does something for each item in turn, all of them even if some fail; then throws if any did. */
export async function attemptEach<T>(
  items: readonly T[],
  attempt: (item: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) await attempt(item).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} failed`);
}
