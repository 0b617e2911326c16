import type { Membership } from '@daycare/service-kit';
import { buildMemory } from './build-memory';
import { type buildSchedules } from './build-schedules';
import type { Config } from './config';
import type { Agent } from './domain/agent';
import { makeSubusers } from './rpc/identity-client';
import { makeFriends } from './rpc/social-graph-client';
import { makeEndpoints } from './rpc/endpoints-client';
import { makeShowTopology } from './rpc/topology-client';
import { makeChannels, makeSignals } from './rpc/wiring-client';
import { makePromptFor } from './prompts/system-prompt';
import { makeSkillCatalog } from './skills/skill-catalog';
import { makeUserSkills } from './skills/user-skills';
import { makeTools } from './tools';
import type { Stores } from './store/open-stores';
import { ToolRegistry } from './tools/tool-registry';
import { makeConfigureSubuser } from './usecases/configure-subuser';
import { makeCreateSubuser } from './usecases/create-subuser';
import { makeDeleteSubuser } from './usecases/delete-subuser';
import { makeListSubusers } from './usecases/list-subusers';
import { makeRenameSubuser } from './usecases/rename-subuser';
import type { RunProgram } from './usecases/run-program';
import type { Parts, Surroundings } from './build-parts';
import type { buildUsecases } from './build-usecases';

const now = (): Date => new Date();

type TurnDeps = Parts &
  ReturnType<typeof buildUsecases> &
  ReturnType<typeof buildSchedules>['calls'] &
  Pick<Surroundings, 'providers'> & { readonly runProgram: RunProgram | undefined };

/** What an agent thinks with and what it can do. */
export function buildTurns(
  { guards }: Config,
  stores: Stores,
  { identity, credential }: Membership,
  { providers, ...deps }: TurnDeps,
) {
  const skills = makeSkillCatalog(makeUserSkills(deps.homes));
  const subusers = makeSubusers(identity, credential);
  const ensureHome = async (userId: string): Promise<void> => deps.homes?.ensure(userId);
  const subuserDeps = { ...stores, ...deps, subusers, ensureHome };
  const tools = makeTools({
    guards,
    ...deps,
    skills,
    memory: deps.homes && buildMemory({ homes: deps.homes, now }),
    friends: makeFriends(deps.socialGraph, credential),
    showTopology: makeShowTopology(deps.topology, credential),
    signals: makeSignals(deps.topology, credential),
    channels: makeChannels(deps.topology, credential),
    endpoints: makeEndpoints(deps.topology, credential),
    createSubuser: makeCreateSubuser(subuserDeps),
    configureSubuser: makeConfigureSubuser(subuserDeps),
    renameSubuser: makeRenameSubuser(subuserDeps),
    deleteSubuser: makeDeleteSubuser(subuserDeps),
    listSubusers: makeListSubusers(subuserDeps),
  });
  return {
    providerOf: ({ provider }: Agent) => providers.find(provider),
    tools: new ToolRegistry(tools),
    promptFor: makePromptFor({ skills }),
  };
}
