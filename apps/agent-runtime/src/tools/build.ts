import type { Db } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';
import type { UserDataStore } from '@daycare/service-kit';
import type { AgentReader, CreateAgent, RunawayGuards, ToolRules } from '../agents';
import type { RunProgram } from '../exec';
import type { SearchFiles, UserHomes } from '../homes';
import type { Memory } from '../memory';
import type { Messaging } from '../messaging';
import type { RequestPermission } from '../permissions';
import type { ScheduleUsecases } from '../schedules';
import type { SkillCatalog } from '../skills';
import type { SubuserUsecases } from '../subusers';
import { checkToolPolicy } from './domain/check-policy';
import { searchTools } from './domain/offer-tools';
import type { AttachmentToolsDeps } from './families/attachments/attachment-tools';
import { makeTools } from './make-tools';
import type { ConfirmApproval, RequestApproval } from './ports/approvals';
import type { Channels } from './ports/channels';
import type { Endpoints } from './ports/endpoints';
import type { Friends } from './ports/friends';
import type { Signals } from './ports/signals';
import type { ShowTopology } from './ports/topology';
import { ToolRegistry } from './registry/tool-registry';
import { toolCallIndexes, ToolCallStore } from './store/tool-call-store';
import { makeCallTool, type CallTool } from './usecases/call-tool';
import { makeToolLedger } from './usecases/keep-ledger';
import { makeListTools, type ListTools } from './usecases/list-tools';

export const toolsIndexes: readonly CollectionIndexes[] = [toolCallIndexes];

export interface ToolsDeps {
  readonly db: Db;
  readonly agents: Pick<AgentReader, 'find'>;
  readonly guards: RunawayGuards;
  /** The loosest verdicts that the operator allows. */
  readonly toolCeiling: ToolRules;
  /** Calls to other services on behalf of agents. */
  readonly peers: {
    readonly channels: Channels;
    readonly endpoints: Endpoints;
    readonly friends: Friends;
    readonly signals: Signals;
    readonly showTopology: ShowTopology;
  };
  readonly messaging: Pick<Messaging, 'sendAgentMessage' | 'startBackgroundAgent' | 'resetAgent'>;
  readonly requestPermission: RequestPermission;
  readonly requestApproval: RequestApproval;
  readonly confirmApproval: ConfirmApproval;
  readonly createAgent: CreateAgent;
  readonly schedules: ScheduleUsecases;
  readonly subusers: SubuserUsecases;
  readonly skills: SkillCatalog;
  readonly attachments: AttachmentToolsDeps['attachments'];
  /** Undefined if users have no directories, e.g. because DAYCARE_USERS_DIR is not set. */
  readonly homes: UserHomes | undefined;
  /** Undefined if users have no directories. */
  readonly searchFiles: SearchFiles | undefined;
  /** Undefined if users have no directories. */
  readonly memory: Memory | undefined;
  /** Undefined if programs are disabled or cannot run safely on this machine. */
  readonly runProgram: RunProgram | undefined;
  readonly now: () => Date;
}

export interface Tools {
  readonly userDataStores: readonly UserDataStore[];
  readonly registry: ToolRegistry;
  readonly callTool: CallTool;
  readonly listTools: ListTools;
}

/** Builds the tools that agents call, and the usecases with which clients call and list them. */
export function buildTools(deps: ToolsDeps): Tools {
  const { agents, guards, peers, homes, searchFiles, toolCeiling: ceiling } = deps;
  const findAgent = (agentId: string) => agents.find(agentId);
  const toolCalls = new ToolCallStore(deps.db);
  const ledger = makeToolLedger({ toolCalls, now: deps.now });
  const tools: ToolRegistry = new ToolRegistry(
    makeTools({
      guards,
      channels: peers.channels,
      endpoints: peers.endpoints,
      friends: peers.friends,
      signals: peers.signals,
      showTopology: peers.showTopology,
      searchTools: async (agent, query) => searchTools(await tools.offer(agent), query),
      messaging: deps.messaging,
      requestPermission: deps.requestPermission,
      createAgent: deps.createAgent,
      schedules: deps.schedules,
      subusers: deps.subusers,
      checkSubuserPolicy: (policy) =>
        checkToolPolicy(policy, { isSubuser: true, ceiling }, 'toolPolicy'),
      skills: deps.skills,
      attachments: deps.attachments,
      files: homes && searchFiles && { homes, searchFiles },
      memory: deps.memory,
      ledger,
      runProgram: deps.runProgram,
    }),
    {
      requestApproval: deps.requestApproval,
      confirmApproval: deps.confirmApproval,
      findAgent,
      findUserPolicy: deps.subusers.findToolPolicy,
      ceiling,
      ledger,
    },
  );
  return {
    userDataStores: [toolCalls],
    registry: tools,
    callTool: makeCallTool({ findAgent, tools }),
    listTools: makeListTools({ findAgent, tools }),
  };
}
