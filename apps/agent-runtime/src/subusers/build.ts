import type { AgentReader, AgentWriter, DescribeAgents, FindOrCreateAgent } from '../agents';
import { makeConfigureSubuser } from './usecases/configure-subuser';
import { makeCreateSubuser } from './usecases/create-subuser';
import { makeEnsureGateways, type NamesOfSubusers } from './usecases/ensure-gateways';
import { makeFindToolPolicy } from './usecases/find-tool-policy';
import { makeDeleteSubuser } from './usecases/delete-subuser';
import { makeListSubusers } from './usecases/list-subusers';
import { makeRenameSubuser } from './usecases/rename-subuser';
import type { Subusers } from './usecases/subuser-directory';

export interface SubusersDeps {
  /** Subusers as identity stores them. */
  readonly subusers: Subusers;
  readonly namesOfSubusers: NamesOfSubusers;
  readonly agents: AgentReader & AgentWriter;
  readonly findOrCreateAgent: FindOrCreateAgent;
  readonly describeAgents: DescribeAgents;
  /** Creates a user's home directories; may be repeated. */
  readonly ensureHome: (userId: string) => Promise<void>;
  readonly now: () => Date;
}

/** What agents can do with their user's subusers. */
export type SubuserUsecases = Omit<ReturnType<typeof buildSubusers>, 'ensureGateways'>;

/** Builds the feature in which agents manage their user's subusers. */
export function buildSubusers(deps: SubusersDeps) {
  const { subusers, agents, findOrCreateAgent, describeAgents, ensureHome, now } = deps;
  return {
    createSubuser: makeCreateSubuser({ subusers, agents, findOrCreateAgent, ensureHome, now }),
    configureSubuser: makeConfigureSubuser({ subusers, agents, findOrCreateAgent, now }),
    ensureGateways: makeEnsureGateways({ namesOf: deps.namesOfSubusers, findOrCreateAgent }),
    renameSubuser: makeRenameSubuser({ subusers }),
    deleteSubuser: makeDeleteSubuser({ subusers }),
    findToolPolicy: makeFindToolPolicy({ agents }),
    listSubusers: makeListSubusers({ subusers, agents, describeAgents }),
  };
}
