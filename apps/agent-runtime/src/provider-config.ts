import type { EnvReader } from '@daycare/service-kit';
import { agentRoles, type AgentRole } from './domain/descriptor-kinds';

/** A provider and one of its models, as `DAYCARE_MODEL=provider/model` names them. */
export interface ModelChoice {
  readonly provider: string;
  readonly model: string;
}

export interface ProviderConfig {
  /** Undefined without a key; without a URL it is Anthropic's own. */
  readonly anthropic: { readonly apiKey: string; readonly baseUrl?: string } | undefined;
  /** Undefined without a URL; an endpoint of one's own may want no key. */
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
  const elsewhere = anthropicUrl ? { baseUrl: anthropicUrl } : {};
  return {
    anthropic: anthropicKey ? { apiKey: anthropicKey, ...elsewhere } : undefined,
    openai: openaiUrl ? { apiKey: openaiKey, baseUrl: openaiUrl } : undefined,
  };
}

/** Empty when it is not set. */
function readUrl(env: EnvReader, name: string): string {
  const url = env.url(name, ['http', 'https'], '');
  if (url && !URL.canParse(url)) env.problem(`${name} is not a URL that can be used`);
  else if (url && hasPassword(new URL(url)))
    env.problem(`${name} holds a user or a password, but takes a URL without`);
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

/** What is wrong with a choice; the variable that would make it right is named. */
function problemOf(provider: string, { anthropic, openai }: Remote): string | undefined {
  switch (provider) {
    case 'local':
      return undefined;
    case 'anthropic':
      return anthropic ? undefined : 'DAYCARE_ANTHROPIC_API_KEY is not set';
    case 'openai':
      return openai ? undefined : 'DAYCARE_OPENAI_URL is not set';
    default:
      return `takes provider/model with a provider of local, anthropic, openai, e.g. ${localModel}`;
  }
}
