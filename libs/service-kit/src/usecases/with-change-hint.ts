/**
 * Returns a function that runs the usecase and then sends a `hint` to everyone who may see the change. Hints may get
 * lost anyway, so it does not matter if a crash after the usecase prevents the hint.
 */
export function withChangeHint<Call extends readonly unknown[], Result>(
  usecase: (...call: Call) => Promise<Result>,
  hint: (result: Result, ...call: Call) => void,
): (...call: Call) => Promise<Result> {
  return async (...call) => {
    const result = await usecase(...call);
    hint(result, ...call);
    return result;
  };
}
