import { AppError, type ErrorCode } from '@daycare/api';
import { eventually } from '@daycare/testing';

/** After these codes, the caller does not know whether the call took place. */
const inDoubtCodes: ReadonlySet<ErrorCode> = new Set([
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'CANCELLED',
]);

export const isInDoubt = (error: unknown): boolean =>
  error instanceof AppError && inDoubtCodes.has(error.code);

/** Retries a call until it is answered. Every attempt must carry the same request id. */
export async function untilAnswered<T>(
  call: (attempt: number) => Promise<T>,
  timeoutMs = 60_000,
): Promise<T> {
  let attempt = 0;
  const answer = await eventually(
    async (): Promise<{ value: T } | { error: unknown } | undefined> => {
      try {
        return { value: await call(attempt++) };
      } catch (error) {
        return isInDoubt(error) ? undefined : { error };
      }
    },
    { timeoutMs },
  );
  if ('error' in answer) throw answer.error;
  return answer.value;
}
