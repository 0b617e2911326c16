/**
 * The same usecase, followed by a `hint` for those who may see the change. Any hint may get lost, so none has
 * to be sent for a usecase that was interrupted.
 */
export function withChangeHint<Call extends readonly unknown[], Answer>(
  usecase: (...call: Call) => Promise<Answer>,
  hint: (answer: Answer, ...call: Call) => void,
): (...call: Call) => Promise<Answer> {
  return async (...call) => {
    const answer = await usecase(...call);
    hint(answer, ...call);
    return answer;
  };
}
