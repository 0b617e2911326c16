import { FieldChecks } from '@daycare/api';
import type { AddedProvider, DescribedModel } from './added-providers';

/** A provider as an operator describes it; not checked yet. */
export interface AddProviderCall {
  readonly requestId: string;
  readonly name: string;
  /** Empty to keep the stored address or, if there is none, to use the vendor's own. */
  readonly url: string;
  /** Undefined to keep the stored key, if there is one for the same address. */
  readonly apiKey?: string | undefined;
  readonly models: readonly DescribedModel[];
}

const maxUrlLength = 2_048;
const maxKeyLength = 4_096;
const maxModels = 20;
const maxTokens = 100_000_000;
const maxPrice = 1_000_000_000_000;

/** The providers that have a default address, so that none has to be given. */
const providersWithAddress = new Set(['anthropic', 'openai', 'google', 'ollama']);

/** Throws INVALID_ARGUMENT; never quotes the key, nor a URL that may contain a password. */
export function checkAddition({ requestId, name, url, apiKey, models }: AddProviderCall): void {
  const checks = new FieldChecks().requestId(requestId);
  checks.require(
    /^[a-z][a-z0-9-]{0,31}$/.test(name),
    'name',
    'must be a lower-case word of up to 32 characters, e.g. groq',
  );
  checks.require(
    name !== 'local',
    'name',
    'must not be "local", which is reserved for the built-in scripted model',
  );
  if (url !== '') checkUrl(url, checks);
  // The key is sent as a header, which allows no other characters.
  const isValidKey = apiKey === undefined || /^[\x21-\x7e]*$/.test(apiKey);
  checks.require(isValidKey, 'api_key', 'must be visible ASCII characters');
  checks.require((apiKey?.length ?? 0) <= maxKeyLength, 'api_key', 'is too long');
  checks.require(models.length <= maxModels, 'models', `must have at most ${maxModels} elements`);
  for (const [index, model] of models.slice(0, maxModels).entries())
    checkModel(model, `models[${index}]`, checks);
  checks.done();
}

/**
 * Returns the provider's address, given the providers added before; empty for the vendor's own. If an address is
 * stored, a new key requires the address to be named again, because another operator may have changed the stored one.
 * Throws INVALID_ARGUMENT.
 */
export function addressOf(
  { name, url, apiKey = '' }: Pick<AddProviderCall, 'name' | 'url' | 'apiKey'>,
  before: readonly Pick<AddedProvider, 'name' | 'baseUrl'>[],
): string {
  if (url !== '') return url;
  const stored = before.find((each) => each.name === name)?.baseUrl ?? '';
  new FieldChecks()
    .require(stored !== '' || providersWithAddress.has(name), 'url', `is required for ${name}`)
    .require(
      stored === '' || apiKey === '',
      'url',
      `is required when the key changes, even if the address stays the same: ${name} was added with ${stored}`,
    )
    .done();
  return stored;
}

function checkUrl(url: string, checks: FieldChecks): void {
  checks.require(url.length <= maxUrlLength, 'url', `must be at most ${maxUrlLength} characters`);
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isHttp = parsed?.protocol === 'https:' || parsed?.protocol === 'http:';
  checks.require(
    isHttp && !/\s/.test(url),
    'url',
    'must be a URL starting with http:// or https://',
  );
  if (!parsed) return;
  const { username, password, search, hash } = parsed;
  checks.require(username + password === '', 'url', 'must not contain a user or password');
  checks.require(search + hash === '', 'url', 'must not contain ? or #');
}

function checkModel(model: DescribedModel, field: string, checks: FieldChecks): void {
  const { id, contextWindow, maxOutputTokens, prices } = model;
  checks.require(
    /^\S{1,128}$/.test(id),
    `${field}.id`,
    'must be 1 to 128 characters without spaces',
  );
  const require = (value: number | undefined, name: string, min: number, max: number): void => {
    const isValid =
      value === undefined || (Number.isSafeInteger(value) && value >= min && value <= max);
    checks.require(isValid, `${field}.${name}`, `must be ${min} to ${max}`);
  };
  require(contextWindow, 'context_window', 1, maxTokens);
  require(maxOutputTokens, 'max_output_tokens', 1, maxTokens);
  require(prices?.input, 'price.input_micros', 0, maxPrice);
  require(prices?.output, 'price.output_micros', 0, maxPrice);
  require(prices?.cachedInput, 'price.cached_input_micros', 0, maxPrice);
}
