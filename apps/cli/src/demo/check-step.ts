import type { ExpectedMessage, Facts, Step } from './story';

/** A tool's result; an error is `{ error: { code, message } }`. */
export type ToolResult = Readonly<Record<string, unknown>>;

/** A message that an agent received. */
export interface ReceivedMessage {
  readonly who: string;
  readonly origin: string;
  readonly text: string;
}

/** A step of the story with its outcome. */
export interface PlayedStep {
  readonly title: string;
  readonly who: string;
  readonly nametag: string;
  readonly tool: string;
  readonly arguments: object;
  readonly result: ToolResult;
  readonly received?: ReceivedMessage;
  /** The message that was received in return. */
  readonly answer?: ReceivedMessage;
  readonly ok: boolean;
  /** What failed; absent when ok. */
  readonly problem?: string;
  readonly tookMs: number;
}

/** Says what is wrong with the result of a step's tool; undefined when it is as expected. */
export function checkResult(
  { expects }: Pick<Step, 'expects'>,
  result: ToolResult,
): string | undefined {
  const code = codeOf(result);
  const { refusal, ...fields } = expects;
  if (refusal !== undefined) return code === refusal ? undefined : `expected ${refusal}`;
  if (code !== undefined) return `unexpected error ${code}`;
  const mismatch = Object.entries(fields).find(([field, value]) => result[field] !== value);
  return mismatch && `expected ${mismatch[0]} to be ${mismatch[1]}`;
}

/** Reports whether a received message is the one that a step should cause. */
export function isExpected(
  { origin, contains }: ExpectedMessage,
  { origin: from, text }: Pick<ReceivedMessage, 'origin' | 'text'>,
  facts: Facts,
): boolean {
  return from === origin(facts) && contains(facts).every((words) => text.includes(words));
}

/** Returns the facts plus those that a result adds. */
export function addFacts(
  { facts: fields = {} }: Pick<Step, 'facts'>,
  result: ToolResult,
  facts: Facts,
): Facts {
  const added = Object.entries(fields).map(([name, field]) => [name, result[field] ?? '']);
  return { ...facts, ...(Object.fromEntries(added) as Facts) };
}

function codeOf(result: ToolResult): string | undefined {
  return (result['error'] as { code?: string } | undefined)?.code;
}
