/**
 * Returns the usecase followed by a `hint` to those who may see the change. Hints may get lost anyway, so an
 * interrupted usecase need not send one.
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
