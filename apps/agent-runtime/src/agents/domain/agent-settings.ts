import { isForeign, type Trust } from '@daycare/api';
import type { Agent, AgentModel } from './agent';
import type { ToolPolicy } from './tool-rules';

/** Changes to an agent's settings; what is omitted stays the same. */
export interface AgentSettings {
  readonly name?: string | undefined;
  readonly systemPrompt?: string | undefined;
  readonly toolPolicy?: ToolPolicy | undefined;
  /** Empty to remove the agent's own choice. */
  readonly models?: readonly AgentModel[] | undefined;
  /** The trust of the turn that wrote the name and the system prompt; absent when a person did. */
  readonly trust?: Trust | undefined;
}

/** Returns the fields that a change of an agent's settings stores; those that are undefined are removed. */
export function changedFields(
  { name, systemPrompt, toolPolicy, models, trust }: AgentSettings,
  now: Date,
) {
  const { promptTrust, nameTrust } = wordingTrustOf(trust);
  return {
    ...(systemPrompt === undefined ? {} : { 'descriptor.systemPrompt': systemPrompt, promptTrust }),
    ...(name === undefined ? {} : { 'descriptor.name': name, renamedAt: now, nameTrust }),
    ...(toolPolicy ? { toolPolicy } : {}),
    ...(models ? { models: models.length > 0 ? models : undefined } : {}),
  };
}

/** Returns the trust of the turn that wrote an agent's prompt and name; empty for the user's own turns. */
export function wordingTrustOf(trust: Trust | undefined): Pick<Agent, 'promptTrust' | 'nameTrust'> {
  return trust && isForeign(trust) ? { promptTrust: trust, nameTrust: trust } : {};
}
