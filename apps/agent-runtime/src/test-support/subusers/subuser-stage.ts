import { createId } from '@daycare/api/create-id';
import { DeletedUserStore } from '@daycare/service-kit';
import { makeDescribeAgents } from '../../agents/usecases/describe-agents';
import { makeFindOrCreateAgent, type FindOrCreateAgent } from '../../agents/usecases/ensure-agent';
import { makeSubusers } from '../../peers/identity-client';
import { makeConfigureSubuser } from '../../subusers/usecases/configure-subuser';
import { makeCreateSubuser } from '../../subusers/usecases/create-subuser';
import { makeDeleteSubuser } from '../../subusers/usecases/delete-subuser';
import { makeFindToolPolicy } from '../../subusers/usecases/find-tool-policy';
import { makeListSubusers } from '../../subusers/usecases/list-subusers';
import { makeRenameSubuser } from '../../subusers/usecases/rename-subuser';
import { checkToolPolicy } from '../../tools/domain/check-policy';
import { subuserTools } from '../../tools/families/subuser-tools';
import { testRegistry } from '../test-tool';
import { identity, users } from '../test-identity';
import { startTestPeers, testCredential } from '../test-peers';
import { startTestRuntime, type TestRuntime } from '../test-runtime';

/** The subuser tools on a test runtime, with an identity service that keeps its users in `test-identity`. */
export async function startSubuserStage() {
  const runtime = await startTestRuntime();
  const peers = await startTestPeers({ identity });
  /** The ids of the users whose directories were created. */
  const homes: string[] = [];
  /** Thrown once instead of creating a gateway, as if the service had crashed. */
  let crash: Error | undefined;
  const findOrCreate = findOrCreateIn(runtime);
  const findOrCreateAgent: FindOrCreateAgent = async (...wanted) => {
    const failure = crash;
    crash = undefined;
    if (failure) throw failure;
    return findOrCreate(...wanted);
  };
  const tools = testRegistry(
    subuserTools({
      subusers: makeUsecases({
        ...runtime,
        subusers: makeSubusers(peers.identity, testCredential),
        findOrCreateAgent,
        describeAgents: describeAgentsIn(runtime),
        ensureHome: async (userId: string) => void homes.push(userId),
        now,
      }),
      checkSubuserPolicy: (policy) =>
        checkToolPolicy(policy, { isSubuser: true, ceiling: {} }, 'toolPolicy'),
    }),
  );
  return {
    runtime,
    tools,
    homes,
    crashOnce: () => void (crash = new Error('crash')),
    async close() {
      await peers.close();
      await runtime.close();
    },
  };
}

const now = (): Date => new Date();

function findOrCreateIn(runtime: TestRuntime): FindOrCreateAgent {
  return makeFindOrCreateAgent({
    ...runtime,
    deletedUsers: new DeletedUserStore(runtime.mongo.db),
    directory: {
      async findById(userId) {
        const user = [...users.values()].find(({ id }) => id === userId);
        return user && { userId, parentUserId: user.parentUserId };
      },
    },
    shardOf: () => 0,
    newId: createId,
    now,
  });
}

function describeAgentsIn(runtime: TestRuntime) {
  return makeDescribeAgents({
    history: runtime.history,
    countInboxItems: (agents) => runtime.inbox.countByAgent(agents),
    listPermissions: async () => new Map(),
    currentModels: async () => [],
    sleepAfterMs: 60_000,
    now,
  });
}

type Deps = Parameters<typeof makeCreateSubuser>[0] &
  Parameters<typeof makeConfigureSubuser>[0] &
  Parameters<typeof makeDeleteSubuser>[0] &
  Parameters<typeof makeListSubusers>[0] &
  Parameters<typeof makeRenameSubuser>[0] &
  Parameters<typeof makeFindToolPolicy>[0];

function makeUsecases(deps: Deps) {
  return {
    createSubuser: makeCreateSubuser(deps),
    configureSubuser: makeConfigureSubuser(deps),
    deleteSubuser: makeDeleteSubuser(deps),
    listSubusers: makeListSubusers(deps),
    renameSubuser: makeRenameSubuser(deps),
    findToolPolicy: makeFindToolPolicy(deps),
  };
}
