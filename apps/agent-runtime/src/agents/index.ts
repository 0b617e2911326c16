import type { AgentStore } from './store/agent-store';
import type { EndingStore } from './store/ending-store';
import type { FeedStore } from './store/feed-store';
import type { HistoryStore } from './store/history-store';
import type { OutlineStore } from './store/outline-store';
import type { UsageStore } from './store/usage-store';

export type { GatewayOutline } from './store/outline-store';
export { type UsageDimension, usageDimensions, type UsageKey, type UsageRow } from './domain/usage';

export type { AgentState, AgentStep } from './domain/agent-state';
export {
  type CurrentWork,
  type DeadWork,
  type InboxSettlement,
  type Waiting,
  waitOf,
} from './domain/current-work';
export {
  firstEntry,
  type HistoryEntry,
  type HistoryHead,
  mergeEntries,
  nextEntry,
  recordsOf,
} from './domain/history-entry';
export {
  type Agent,
  type AgentAddress,
  agentDead,
  type AgentOutline,
  type AgentWait,
  limitOwnerId,
  isTopLevel,
  isVisibleTo,
  labelForModels,
  type Lifecycle,
  lifecycleOf,
} from './domain/agent';
export type { AgentLimits } from './domain/agent-limits';
export type { AgentSettings } from './domain/agent-settings';
export { firstValidRequestSequence } from './domain/context-state';
export type { EndedTurn, EndRun } from './domain/current-work';
export { type CallUsage, dayOf } from './domain/call-usage';
export { checkDescriptor } from './domain/descriptor/check-descriptor';
export {
  type AgentRole,
  agentRoles,
  canBeEnded,
  type ConnectorTarget,
  connectorTargetOf,
  gatewayKey,
  keyOf,
  labelOf,
  parentOf,
  promptOf,
  roleOf,
} from './domain/descriptor/descriptor-kinds';
export type { DescriptorOf } from './domain/descriptor/descriptor';
export type { ContextMessage, ShownImage } from './domain/context/context-message';
export {
  charactersOf,
  estimateContext,
  estimateMessages,
  estimateRecordTokens,
  estimateTokens,
  imageTokensIn,
  imageTokensOf,
} from './domain/context/estimate-tokens';
export { foldContext } from './domain/context/fold-context';
export type { UserProfile } from './domain/user-profile';
export { renderEvent } from './domain/context/render-event';
export { describeFile, renderFiles } from './domain/context/render-files';
export { renderPersonText, renderSystemMessage } from './domain/context/render-system-message';
export {
  type AssistantMessageEvent,
  type AttachedFile,
  type CompactionEvent,
  type FileReference,
  type HistoryEvent,
  type HistoryRecord,
  type ImageDimensions,
  noUsage,
  type ResetEvent,
  type TokenUsage,
  type ToolCall,
  type ToolResultEvent,
  type UserMessageEvent,
} from './domain/context/history-record';
export {
  guardWording,
  messageRefusal,
  type RunawayGuards,
  subagentRefusal,
} from './domain/runaway-guards';
export {
  isAnswerable,
  type ItemSource,
  itemSources,
  carriesPrivate,
  knowsPrivateData,
  mergeWriters,
  severalWriters,
  type StartedBy,
  startedByPerson,
  trustToPassOn,
  writerOf,
} from './domain/started-by';
export {
  stricterVerdict,
  type ToolPolicy,
  type ToolRules,
  type Verdict,
  verdicts,
} from './domain/tool-rules';
export type { AgentCall } from './usecases/agent-call';
export type { CreateAgent } from './usecases/create-agent';
export type { DescribeAgents } from './usecases/describe-agents';
export type { Directory, FindOrCreateAgent } from './usecases/ensure-agent';
export type { OwnerOf } from './usecases/owner-of';
export type { RankForeground } from './usecases/rank-foreground';
export { findVisibleAgent } from './usecases/visible-agent';
export type { AgentAdvanced, AgentProgress } from './usecases/watched-agents';
export type { FeedEntry, FeedRange } from './store/feed-store';
export type { Agents } from './build';

/** Looks agents up; the caller decides who may see them. */
export type AgentReader = Pick<
  AgentStore,
  | 'countAwakeSubagents'
  | 'find'
  | 'findByKey'
  | 'findByKeys'
  | 'findMany'
  | 'listUsersWithNewForeground'
>;

/** The changes that other features make to agents. */
export type AgentWriter = Pick<
  AgentStore,
  'configure' | 'kill' | 'markWired' | 'setWaiting' | 'touch'
>;

/** Ends agents, and tracks which endings are not completed yet. */
export type AgentEndings = Pick<
  EndingStore,
  'claim' | 'end' | 'finish' | 'listDue' | 'listIdleSubagents'
>;

/** Reads agents' histories and current states. */
export type HistoryReader = Pick<
  HistoryStore,
  'findHead' | 'findHeads' | 'findLastSequence' | 'readFrom'
>;

/** Adds entries to histories; after an agent's first entry, only the loop that runs agents does so. */
export type HistoryWriter = Pick<HistoryStore, 'append' | 'appendEach' | 'appendPending'>;

/** Lists the agents of many users in one call, without their prompts. */
export type OutlineReader = Pick<OutlineStore, 'findGateways' | 'list' | 'survey'>;

/** Records model calls made outside any agent. */
export type UsageWriter = Pick<UsageStore, 'addCall'>;

/** Sums up what model calls have used; usage is archived before the history that contains it is deleted. */
export type UsageReader = Pick<UsageStore, 'archiveByUser' | 'list' | 'sumByAgent'>;

/** Reads what a connector's agents have recorded. */
export type FeedReader = Pick<FeedStore, 'listFeedOrders' | 'newestFeedOrders' | 'readEntries'>;
