import { InvalidArgumentError } from 'commander';
import type { ModelDescription } from '@daycare/contracts/agent-runtime';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import { readAmount } from '../output/money';

type YesNo = 'yes' | 'no';

/** Options that describe a model. */
export interface DescribeOptions {
  readonly window?: number;
  readonly maxOutput?: number;
  readonly price?: ModelDescription['price'];
  readonly images?: YesNo;
  readonly tools?: YesNo;
  readonly reasoning?: YesNo;
}

/** Builds a model's description from the options. Without a name, returns undefined, or throws if an option is set. */
export function describeModel(id: string, options: DescribeOptions): ModelDescription | undefined {
  const { window: contextWindow, maxOutput: maxOutputTokens, price } = options;
  const toFlag = (word?: YesNo): boolean | undefined => word && word === 'yes';
  const [images, tools, reasoning] = [options.images, options.tools, options.reasoning].map(toFlag);
  const described = { contextWindow, maxOutputTokens, price, images, tools, reasoning };
  const isEmpty = Object.values(described).every((value) => value === undefined);
  if (id === '' && !isEmpty)
    throw new Failure(
      exitCodes.usage,
      'These options describe a model; name it as provider/model.',
      'For example, groq/llama-3.3-70b.',
    );
  return id === '' ? undefined : { id, ...described };
}

/** Parses e.g. `3:15:0.30`; without the third amount, cached input costs the same as other input. */
export function parsePrice(text: string): NonNullable<ModelDescription['price']> {
  const [inputMicros, outputMicros, cached, ...rest] = text.split(':').map(readAmount);
  const isPrice = inputMicros !== undefined && outputMicros !== undefined && rest.length === 0;
  if (!isPrice || (cached === undefined && text.split(':').length > 2))
    throw new InvalidArgumentError('Must be amounts per million tokens, e.g. 3:15 or 3:15:0.30.');
  return { inputMicros, outputMicros, cachedInputMicros: cached ?? inputMicros };
}
