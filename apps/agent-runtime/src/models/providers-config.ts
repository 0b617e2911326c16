import type { EnvReader } from '@daycare/service-kit';

/** Which API a model provider offers; `compatible` means compatible with OpenAI's. */
export type ProviderKind = 'anthropic' | 'openai' | 'google' | 'compatible';

/** A configured provider. */
export interface ProviderSpec {
  readonly name: string;
  readonly kind: ProviderKind;
  /** Empty when none is needed. */
  readonly apiKey: string;
  /** The variable with the key; `DAYCARE_<NAME>_API_KEY` when absent. */
  readonly keyVariable?: string;
  /** The vendor's own when absent. */
  readonly baseUrl?: string;
}

/** The variables with the vendors' keys; for each vendor, the first that is set is used. */
export const vendorKeys: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['DAYCARE_ANTHROPIC_API_KEY', 'ANTHROPIC_API_KEY'],
  openai: ['DAYCARE_OPENAI_API_KEY', 'OPENAI_API_KEY'],
  google: ['DAYCARE_GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
};

const providersVariable = 'DAYCARE_PROVIDERS';
const entryFormat = 'name=URL, e.g. groq=https://api.groq.com/openai/v1';
const ollamaUrl = 'http://127.0.0.1:11434/v1';
const reservedNames = new Set(['local', 'anthropic', 'openai', 'google', 'ollama']);
const maxProviders = 50;

/** `isOllamaNamed` means that an Ollama model is configured, so Ollama is used even if its URL is not set. */
export function readProviders(
  env: EnvReader,
  { isOllamaNamed }: { readonly isOllamaNamed: boolean },
): readonly ProviderSpec[] {
  return [
    ...readVendor(env, 'anthropic'),
    ...readOpenAi(env),
    ...readVendor(env, 'google'),
    ...readOllama(env, isOllamaNamed),
    ...readCompatible(env),
  ];
}

/** Returns the spec of a provider that was added at run time, as if it were configured under the same name. */
export function addedSpec(
  { name, baseUrl }: { readonly name: string; readonly baseUrl: string },
  apiKey: string,
): ProviderSpec {
  const address = baseUrl === '' ? {} : { baseUrl };
  if (name === 'anthropic' || name === 'google') return { name, kind: name, apiKey, ...address };
  if (name === 'openai' && baseUrl === '') return { name, kind: 'openai', apiKey };
  return { name, kind: 'compatible', apiKey, baseUrl: baseUrl || ollamaUrl };
}

/** Returns the variable for a provider's setting, e.g. `DAYCARE_MY_GATEWAY_API_KEY`. */
export function variableOf(provider: string, setting: 'API_KEY' | 'URL'): string {
  return `DAYCARE_${provider.toUpperCase().replaceAll('-', '_')}_${setting}`;
}

function readVendor(env: EnvReader, name: 'anthropic' | 'google'): ProviderSpec[] {
  const key = readKey(env, name);
  const baseUrl = readUrl(
    env,
    variableOf(name, 'URL'),
    `a proxy for ${name}, instead of its own address`,
  );
  return key ? [{ name, kind: name, ...key, ...(baseUrl ? { baseUrl } : {}) }] : [];
}

/** Reads the endpoint at the configured URL, which may need no key; without a URL, OpenAI itself. */
function readOpenAi(env: EnvReader): ProviderSpec[] {
  const baseUrl = readUrl(
    env,
    'DAYCARE_OPENAI_URL',
    'an OpenAI-compatible endpoint to use instead of OpenAI; it may need no key',
  );
  const key = readKey(env, 'openai');
  const endpointKey = readSecret(env, 'DAYCARE_OPENAI_API_KEY', 'openai');
  // A key from OPENAI_API_KEY is meant for OpenAI and must not be sent to another address.
  if (baseUrl !== '') return [{ name: 'openai', kind: 'compatible', apiKey: endpointKey, baseUrl }];
  return key ? [{ name: 'openai', kind: 'openai', ...key }] : [];
}

function readOllama(env: EnvReader, isNamed: boolean): ProviderSpec[] {
  const baseUrl =
    readUrl(
      env,
      'DAYCARE_OLLAMA_URL',
      `the address of Ollama; if it is not set and an Ollama model is configured, ${ollamaUrl} is used`,
    ) || (isNamed ? ollamaUrl : '');
  const apiKey = readSecret(env, 'DAYCARE_OLLAMA_API_KEY', 'ollama');
  return baseUrl === '' ? [] : [{ name: 'ollama', kind: 'compatible', apiKey, baseUrl }];
}

/** Reads endpoints under names that the operator chooses. */
function readCompatible(env: EnvReader): ProviderSpec[] {
  const parts = env
    .text(providersVariable, {
      default: '',
      takes: `${entryFormat}, separated by commas`,
      about: 'more OpenAI-compatible endpoints; the key of each is DAYCARE_<NAME>_API_KEY',
    })
    .split(',');
  const entries = parts.map((part) => part.trim()).filter((part) => part !== '');
  if (entries.length > maxProviders)
    env.problem(`${providersVariable} has more than ${maxProviders} providers`);
  const specs = entries.flatMap((entry) => readEntry(env, entry));
  const names = specs.map(({ name }) => name);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined) env.problem(`${providersVariable} has "${duplicate}" twice`);
  return specs;
}

function readEntry(env: EnvReader, entry: string): ProviderSpec[] {
  const [, name = '', baseUrl = ''] = /^([a-z][a-z0-9-]{0,31})=(https?:\/\/\S+)$/.exec(entry) ?? [];
  const problem = problemOf(name, baseUrl);
  if (problem !== undefined) {
    env.problem(`${providersVariable} ${problem}`);
    return [];
  }
  const apiKey = readSecret(env, variableOf(name, 'API_KEY'), name);
  return [{ name, kind: 'compatible', apiKey, baseUrl }];
}

/** Never quotes a URL, which may contain a password. */
function problemOf(name: string, url: string): string | undefined {
  if (name === '') return `has an entry that is not ${entryFormat}`;
  if (reservedNames.has(name)) return `has "${name}", which is a built-in provider`;
  if (!URL.canParse(url)) return `has an invalid URL for "${name}"`;
  return hasPassword(url) ? `must not contain a user or password for "${name}"` : undefined;
}

/** Returns the first of a vendor's keys that is set, and its variable. */
function readKey(env: EnvReader, vendor: 'anthropic' | 'openai' | 'google') {
  const keys = (vendorKeys[vendor] ?? []).map((keyVariable) => ({
    apiKey: readSecret(env, keyVariable, vendor),
    keyVariable,
  }));
  return keys.find(({ apiKey }) => apiKey !== '');
}

function readSecret(env: EnvReader, variable: string, provider: string): string {
  return env.secret(variable, {
    default: '',
    takes: 'a key',
    about: `the API key for ${provider}`,
  });
}

/** Returns an empty string when the variable is not set. */
function readUrl(env: EnvReader, name: string, about: string): string {
  const url = env.url(name, { schemes: ['http', 'https'], default: '', about });
  if (url && !URL.canParse(url)) env.problem(`${name} is not a valid URL`);
  else if (url && hasPassword(url)) env.problem(`${name} must not contain a user or password`);
  return url;
}

function hasPassword(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

/** Returns the variable with a provider's key; the default variable if the provider is not configured. */
export function keyVariableOf(provider: string, configured: readonly ProviderSpec[]): string {
  const spec = configured.find(({ name }) => name === provider);
  return spec?.keyVariable ?? variableOf(provider, 'API_KEY');
}
