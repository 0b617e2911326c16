/** Runs an action for each item in turn, continuing after failures; throws at the end if any failed. */
export async function attemptEach<T>(
  items: readonly T[],
  attempt: (item: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) await attempt(item).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} failed`);
}
