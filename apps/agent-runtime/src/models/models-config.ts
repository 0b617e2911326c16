import { z } from 'zod';
import type { EnvReader, VariableSpec } from '@daycare/service-kit';
import { type AgentRole, agentRoles } from '../agents';
import type { ModelDescription } from './catalogue/model-catalogue';
import { parseModelName, type ModelName } from './catalogue/model-entry';
import { readProviders, variableOf, vendorKeys, type ProviderSpec } from './providers-config';

export interface ModelsConfig {
  /** The configured providers; `local` is always available. */
  readonly providers: readonly ProviderSpec[];
  /** The default model for all agents, followed by its fallbacks. */
  readonly instance: readonly ModelName[];
  /** Overrides the default for agents with a given role. */
  readonly roles: Readonly<Partial<Record<AgentRole, readonly ModelName[]>>>;
  /** Encrypts the API keys of providers that are added at run time; empty when it is not set. */
  readonly vaultKey: string;
  /** The operator's descriptions of models, by `provider/id`. */
  readonly descriptions: ReadonlyMap<string, ModelDescription>;
}

const modelVariable = 'DAYCARE_MODEL';
const catalogueVariable = 'DAYCARE_MODEL_CATALOGUE';
const vaultKeyVariable = 'DAYCARE_VAULT_KEY';
const localModel = 'local/echo';

/** How many models one choice may name. */
export const maxModelsPerChoice = 5;

export function readModelsConfig(env: EnvReader): ModelsConfig {
  const instance = readNames(env, modelVariable, {
    default: localModel,
    about: 'the default model for all agents, followed by its fallbacks',
  });
  const byRole = agentRoles.map((role) => {
    const about = `the models for agents with the role ${role}, instead of ${modelVariable}`;
    return [role, readNames(env, roleVariable(role), { default: '', about })] as const;
  });
  const named = [instance, ...byRole.map(([, names]) => names)].flatMap(({ texts }) => texts);
  const providers = readProviders(env, { isOllamaNamed: named.some(isOllama) });
  const roles = byRole
    .filter(([, { texts }]) => texts.length > 0)
    .map(([role, names]) => [role, readChoices(env, names, providers)]);
  return {
    providers,
    instance: readChoices(env, instance, providers),
    roles: Object.fromEntries(roles) as ModelsConfig['roles'],
    vaultKey: readVaultKey(env),
    descriptions: readDescriptions(env),
  };
}

function readVaultKey(env: EnvReader): string {
  const key = env.secret(vaultKeyVariable, {
    default: '',
    takes: 'at least 16 characters',
    about:
      'encrypts the keys of providers that are added at run time; without it, no key can be stored',
  });
  if (key !== '' && key.length < 16)
    env.problem(`${vaultKeyVariable} must have at least 16 characters`);
  return key;
}

function roleVariable(role: AgentRole): string {
  return `${modelVariable}_${role.toUpperCase()}`;
}

function isOllama(text: string): boolean {
  return text.trim().startsWith('ollama/');
}

interface Names {
  readonly variable: string;
  readonly texts: readonly string[];
}

/** Reads the comma-separated model names from a variable, without checking them. */
function readNames(env: EnvReader, variable: string, spec: VariableSpec<string>): Names {
  const takes = `provider/model, up to ${maxModelsPerChoice} separated by commas`;
  const text = env.text(variable, { takes, ...spec });
  return { variable, texts: text === '' ? [] : text.split(',') };
}

/** Reports a problem unless all names are well-formed and at least one of the models can be used. */
function readChoices(
  env: EnvReader,
  { variable, texts }: Names,
  providers: readonly ProviderSpec[],
): readonly ModelName[] {
  const choices = texts.flatMap((text) => {
    const name = parseModelName(text.trim());
    const isAllowed = name?.provider !== 'local' || name.id === 'echo';
    if (name && isAllowed) return [name];
    env.problem(
      `${variable} is "${text.trim()}", but must be provider/model, e.g. ${localModel} or openai/gpt-5.4-mini`,
    );
    return [];
  });
  if (choices.length > maxModelsPerChoice)
    env.problem(
      `${variable} has ${choices.length} models, but takes at most ${maxModelsPerChoice}`,
    );
  const problems = choices.map(({ provider }) => problemOf(provider, providers));
  const [firstProblem] = problems;
  if (firstProblem !== undefined && problems.every((problem) => problem !== undefined))
    env.problem(`${variable} is "${texts.join(',')}", but ${firstProblem}`);
  return choices;
}

/** Explains why a provider cannot be used and which variable to set; returns undefined when it can be used. */
function problemOf(provider: string, providers: readonly ProviderSpec[]): string | undefined {
  if (provider === 'local' || providers.some(({ name }) => name === provider)) return undefined;
  const [key] = vendorKeys[provider] ?? [];
  if (provider === 'openai') return `neither ${key} nor DAYCARE_OPENAI_URL is set`;
  if (key !== undefined) return `${key} is not set`;
  return `there is no provider "${provider}"; for an OpenAI-compatible endpoint set DAYCARE_PROVIDERS=${provider}=https://… and ${variableOf(provider, 'API_KEY')}`;
}

const tokens = z.number().int().min(1).max(100_000_000);
const price = z.number().int().min(0).max(1_000_000_000_000);
const capability = z.boolean().optional();
const entrySchema = z.strictObject({
  contextWindow: tokens.optional(),
  maxOutputTokens: tokens.optional(),
  capabilities: z
    .strictObject({
      images: capability,
      tools: capability,
      parallelTools: capability,
      reasoning: capability,
    })
    .optional(),
  prices: z.strictObject({ input: price, output: price, cachedInput: price }).optional(),
});
const catalogueSchema = z.record(z.string(), entrySchema);

/** Reads a JSON object with entries by `provider/id`, from the variable or the file that `*_FILE` names. */
function readDescriptions(env: EnvReader): ReadonlyMap<string, ModelDescription> {
  const raw = env.secret(catalogueVariable, {
    default: '',
    takes: 'JSON: entries by provider/model; see models.md',
    about:
      'context windows, capabilities and prices of models; they override what Daycare knows about them',
  });
  if (raw === '') return new Map();
  try {
    const entries = Object.entries(catalogueSchema.parse(JSON.parse(raw)));
    for (const [name] of entries)
      if (!parseModelName(name))
        env.problem(
          `${catalogueVariable} has an entry "${name}", but entries must be named provider/model`,
        );
    return new Map(entries.map(([name, entry]) => [name, entry as ModelDescription]));
  } catch (error) {
    env.problem(`${catalogueVariable} ${reasonOf(error)}`);
    return new Map();
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof z.ZodError)) return 'is not valid JSON';
  const [issue] = error.issues;
  return `has an invalid entry: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`;
}
