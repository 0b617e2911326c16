import { nameOf, type ModelName } from '../catalogue/model-entry';

export interface TestFailure {
  /** Why the provider did not answer, if it reported a failure. */
  readonly verdict: string | undefined;
  /** How to correct the provider's API key, e.g. `correct OPENAI_API_KEY of agent-runtime`. */
  readonly correction: string;
  /** Why the model did not answer; used when there is no sentence for the verdict. */
  readonly reason: string;
}

type Sentence = (model: ModelName, correction: string) => string;

const sentences: Readonly<Record<string, Sentence>> = {
  key: ({ provider }, correction) => `${provider} rejected the API key: ${correction}.`,
  forbidden: ({ provider, id }, correction) =>
    `${provider} does not allow "${id}" for the API key: enable it there, or ${correction}.`,
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
  { verdict, correction, reason }: TestFailure,
): string {
  const sentence = sentences[verdict ?? ''];
  return sentence?.(model, correction) ?? `${nameOf(model)} did not answer: ${reason}.`;
}
