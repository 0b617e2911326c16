import type { Facts, Hearing, Step } from './story';

/** What a tool answered; a refusal is `{ error: { code, message } }`. */
export type ToolAnswer = Readonly<Record<string, unknown>>;

/** Something that an agent heard. */
export interface Heard {
  readonly who: string;
  readonly origin: string;
  readonly text: string;
}

/** A step as it was played. */
export interface PlayedStep {
  readonly title: string;
  readonly who: string;
  readonly nametag: string;
  readonly tool: string;
  readonly arguments: object;
  readonly result: ToolAnswer;
  readonly heard?: Heard;
  readonly ok: boolean;
  /** What should have been, when it is not ok. */
  readonly problem?: string;
  readonly tookMs: number;
}

/** What is wrong with the answer of a step's tool; undefined when it is as it should be. */
export function judgeResult(
  { gives }: Pick<Step, 'gives'>,
  result: ToolAnswer,
): string | undefined {
  const code = codeOf(result);
  const { refusal, ...fields } = gives;
  if (refusal !== undefined)
    return code === refusal ? undefined : `it should be refused with ${refusal}`;
  if (code !== undefined) return `it should not be refused (${code})`;
  const wrong = Object.entries(fields).find(([field, value]) => result[field] !== value);
  return wrong && `${wrong[0]} should be ${wrong[1]}`;
}

/** Whether this is what a step makes somebody hear. */
export function isHeard(
  { origin, about }: Hearing,
  { origin: from, text }: Pick<Heard, 'origin' | 'text'>,
  facts: Facts,
): boolean {
  return from === origin(facts) && about(facts).every((words) => text.includes(words));
}

/** The facts with those that a result adds. */
export function learn(
  { learns = {} }: Pick<Step, 'learns'>,
  result: ToolAnswer,
  facts: Facts,
): Facts {
  const news = Object.entries(learns).map(([name, field]) => [name, result[field] ?? '']);
  return { ...facts, ...(Object.fromEntries(news) as Facts) };
}

function codeOf(result: ToolAnswer): string | undefined {
  return (result['error'] as { code?: string } | undefined)?.code;
}
