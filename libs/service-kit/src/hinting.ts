/**
 * The same usecase; once it has done its work, `hint` tells those who may see something different. A
 * hint may get lost, so it need not come when the work was cut off half-way.
 */
export function hinting<Call extends readonly unknown[], Answer>(
  usecase: (...call: Call) => Promise<Answer>,
  hint: (answer: Answer, ...call: Call) => void,
): (...call: Call) => Promise<Answer> {
  return async (...call) => {
    const answer = await usecase(...call);
    hint(answer, ...call);
    return answer;
  };
}
