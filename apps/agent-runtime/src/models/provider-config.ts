import type { EnvReader } from '@daycare/service-kit';
import { type AgentRole, agentRoles } from '../agents';

/** A provider and one of its models, from `DAYCARE_MODEL=provider/model`. */
export interface ModelChoice {
  readonly provider: string;
  readonly model: string;
}

export interface ProviderConfig {
  /** Undefined without a key; the URL defaults to Anthropic's API. */
  readonly anthropic: { readonly apiKey: string; readonly baseUrl?: string } | undefined;
  /** Undefined without a URL; a self-hosted endpoint may need no key. */
  readonly openai: { readonly apiKey: string; readonly baseUrl: string } | undefined;
  readonly models: Readonly<Record<AgentRole, ModelChoice>>;
}

type Remote = Pick<ProviderConfig, 'anthropic' | 'openai'>;

const modelVariable = 'DAYCARE_MODEL';
const localModel = 'local/echo';

export function readProviderConfig(env: EnvReader): ProviderConfig {
  const remote = readRemote(env);
  const fallback = readModel(env, modelVariable, localModel, remote);
  const models = agentRoles.map((role): [AgentRole, ModelChoice] => {
    const name = `${modelVariable}_${role.toUpperCase()}`;
    return [role, env.text(name, '') === '' ? fallback : readModel(env, name, '', remote)];
  });
  return { ...remote, models: Object.fromEntries(models) as ProviderConfig['models'] };
}

function readRemote(env: EnvReader): Remote {
  const anthropicKey = env.secret('DAYCARE_ANTHROPIC_API_KEY', '');
  const anthropicUrl = readUrl(env, 'DAYCARE_ANTHROPIC_URL');
  const openaiKey = env.secret('DAYCARE_OPENAI_API_KEY', '');
  const openaiUrl = readUrl(env, 'DAYCARE_OPENAI_URL');
  const customUrl = anthropicUrl ? { baseUrl: anthropicUrl } : {};
  return {
    anthropic: anthropicKey ? { apiKey: anthropicKey, ...customUrl } : undefined,
    openai: openaiUrl ? { apiKey: openaiKey, baseUrl: openaiUrl } : undefined,
  };
}

/** Empty when the variable is not set. */
function readUrl(env: EnvReader, name: string): string {
  const url = env.url(name, ['http', 'https'], '');
  if (url && !URL.canParse(url)) env.problem(`${name} is not a valid URL`);
  else if (url && hasPassword(new URL(url)))
    env.problem(`${name} must not contain a user or password`);
  return url;
}

function hasPassword({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

function readModel(env: EnvReader, name: string, fallback: string, remote: Remote): ModelChoice {
  const raw = env.text(name, fallback);
  const [, provider = '', model = ''] = /^([^/]+)\/(\S+)$/.exec(raw) ?? [];
  const problem = problemOf(provider, remote);
  if (problem) env.problem(`${name} is "${raw}", but ${problem}`);
  return { provider, model };
}

/** What is wrong with a choice, naming the variable to set. */
function problemOf(provider: string, { anthropic, openai }: Remote): string | undefined {
  switch (provider) {
    case 'local':
      return undefined;
    case 'anthropic':
      return anthropic ? undefined : 'DAYCARE_ANTHROPIC_API_KEY is not set';
    case 'openai':
      return openai ? undefined : 'DAYCARE_OPENAI_URL is not set';
    default:
      return `must be provider/model with provider local, anthropic or openai, e.g. ${localModel}`;
  }
}
