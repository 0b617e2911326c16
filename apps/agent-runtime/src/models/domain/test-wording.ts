import { nameOf, type ModelName } from '../catalogue/model-entry';

export interface TestFailure {
  /** The verdict on the provider's failure, if it reported one. */
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
  quota: ({ provider }) =>
    `The quota of the ${provider} API key is used up: add credit at ${provider}.`,
  missing: ({ provider, id }) =>
    `${provider} has no model "${id}": it may be misspelt or have been retired.`,
  limited: ({ provider }) => `${provider} is limiting requests right now: try again in a minute.`,
  unavailable: ({ provider }) =>
    `${provider} cannot be reached or is overloaded: check its address, or try again later.`,
};

/** Explains in one sentence what is wrong with a model that did not answer a test, and what to do. */
export function testProblem(
  model: ModelName,
  { verdict, correction, reason }: TestFailure,
): string {
  const sentence = sentences[verdict ?? ''];
  return sentence?.(model, correction) ?? `${nameOf(model)} did not answer: ${reason}.`;
}
