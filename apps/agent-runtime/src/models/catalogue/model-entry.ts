/** What a model can do besides answering with text. */
export interface ModelCapabilities {
  /** Whether it can see images in messages. */
  readonly images: boolean;
  readonly tools: boolean;
  /** Whether one answer may have several tool calls. */
  readonly parallelTools: boolean;
  /** Whether it reasons before it answers; reasoning counts as output and takes time. */
  readonly reasoning: boolean;
}

/** Prices in millionths of the currency per million tokens, so that they are whole numbers. */
export interface ModelPrices {
  readonly input: number;
  readonly output: number;
  readonly cachedInput: number;
}

/** A model by its provider and the provider's own name for it; written as `provider/id`. */
export interface ModelName {
  readonly provider: string;
  readonly id: string;
}

/** What is known about a model. */
export interface ModelFacts {
  /** In tokens, input and output together. */
  readonly contextWindow: number;
  /** In tokens, for one answer. */
  readonly maxOutputTokens: number;
  readonly capabilities: ModelCapabilities;
  /** Undefined when the prices are unknown. */
  readonly prices: ModelPrices | undefined;
}

/** A model that can be called, with everything a call needs to know about it. */
export interface ResolvedModel extends ModelName, ModelFacts {}

export function nameOf({ provider, id }: ModelName): string {
  return `${provider}/${id}`;
}

/** Returns undefined unless the text is `provider/id`; ids may contain slashes. */
export function parseModelName(text: string): ModelName | undefined {
  const [, provider = '', id = ''] = /^([a-z][a-z0-9-]{0,31})\/(\S{1,128})$/.exec(text) ?? [];
  return provider === '' ? undefined : { provider, id };
}
