import { toAppError } from '@daycare/api';
import type { Agent, FindOrCreateAgent } from '../../agents';

/** Finds the current names of subusers, by id and with one call; deleted subusers are missing. */
export type NamesOfSubusers = (
  subuserIds: readonly string[],
) => Promise<ReadonlyMap<string, string>>;

export interface EnsureGatewaysDeps {
  readonly namesOf: NamesOfSubusers;
  readonly findOrCreateAgent: FindOrCreateAgent;
}

/** Returns each subuser's gateway, or why there is none; deleted subusers are missing. */
export type EnsureGateways = (
  subuserIds: readonly string[],
) => Promise<ReadonlyMap<string, Agent | Error>>;

/**
 * Creates the gateways of subusers that were created only in identity and are now sent their first message. These
 * gateways have no prompt until the owner writes one.
 */
export function makeEnsureGateways({
  namesOf,
  findOrCreateAgent,
}: EnsureGatewaysDeps): EnsureGateways {
  const ensure = async (id: string, name: string): Promise<Agent | Error> => {
    const descriptor = { kind: 'subuser', id, name, systemPrompt: '' } as const;
    return findOrCreateAgent(id, descriptor).then(({ agent }) => agent, toAppError);
  };
  return async (subuserIds) => {
    const names = await namesOf(subuserIds);
    const ensured = [...names].map(async ([id, name]) => [id, await ensure(id, name)] as const);
    return new Map(await Promise.all(ensured));
  };
}
