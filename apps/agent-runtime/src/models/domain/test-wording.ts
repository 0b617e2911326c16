import { nameOf, type ModelName } from '../catalogue/model-entry';

export interface TestFailure {
  /** Why the provider did not answer, if it said so. */
  readonly verdict: string | undefined;
  /** The variable with its key. */
  readonly keyVariable: string;
  /** What else is known. */
  readonly reason: string;
}

type Sentence = (model: ModelName, keyVariable: string) => string;

const sentences: Readonly<Record<string, Sentence>> = {
  key: ({ provider }, keyVariable) =>
    `${provider} rejected the API key: correct ${keyVariable} of agent-runtime.`,
  forbidden: ({ provider, id }, keyVariable) =>
    `${provider} does not allow "${id}" for the API key: enable it there, or correct ${keyVariable} of agent-runtime.`,
  quota: ({ provider }) => `The quota of the API key for ${provider} is used up: add credit there.`,
  missing: ({ provider, id }) =>
    `${provider} has no model "${id}": it may have been retired, or be misspelt.`,
  limited: ({ provider }) => `${provider} limits requests at present: try again in a minute.`,
  unavailable: ({ provider }) =>
    `${provider} cannot be reached or is overloaded: check its address, or try again later.`,
};

/** What is wrong with a model that did not answer a test, in one sentence that says what to do. */
export function testProblem(
  model: ModelName,
  { verdict, keyVariable, reason }: TestFailure,
): string {
  const sentence = sentences[verdict ?? ''];
  return sentence?.(model, keyVariable) ?? `${nameOf(model)} did not answer: ${reason}.`;
}
