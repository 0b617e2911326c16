import type { RunawayGuards } from '../domain/runaway-guards';
import type { Friends } from '../rpc/social-graph-client';
import type { ShowTopology } from '../rpc/topology-client';
import type { Endpoints } from '../rpc/endpoints-client';
import type { Channels, Signals } from '../rpc/wiring-client';
import type { UserHomes } from '../home/user-homes';
import type { SkillCatalog } from '../skills/skill-catalog';
import type { ScheduleUsecases } from '../usecases';
import type { makeConfigureSubuser } from '../usecases/configure-subuser';
import type { makeCreateSubuser } from '../usecases/create-subuser';
import type { makeDeleteSubuser } from '../usecases/delete-subuser';
import type { makeListSubusers } from '../usecases/list-subusers';
import type { makeRenameSubuser } from '../usecases/rename-subuser';
import type { RequestPermission } from '../usecases/request-permission';
import type { makeResetAgent } from '../usecases/reset-agent';
import type { RunProgram } from '../usecases/run-program';
import type { makeSendAgentMessage } from '../usecases/send-agent-message';
import type { makeStartBackgroundAgent } from '../usecases/start-background-agent';
import { makeAgentResetTool } from './agent-reset';
import { makeChannelCreateTool } from './channel-create';
import { makeChannelHistoryTool } from './channel-history';
import { makeChannelJoinTool } from './channel-join';
import { makeChannelLeaveTool } from './channel-leave';
import { makeChannelSendTool } from './channel-send';
import { makeFileTools } from './file-tools';
import { makeCronAddTool } from './cron-add';
import { makeCronListTool } from './cron-list';
import { makeCronPauseTool } from './cron-pause';
import { makeCronRemoveTool } from './cron-remove';
import { makeEmitSignalTool } from './emit-signal';
import { makeExecTools } from './exec';
import { makeExposeCreateTool } from './expose-create';
import { makeExposeListTool } from './expose-list';
import { makeExposeRemoveTool } from './expose-remove';
import { makeExposeUpdateTool } from './expose-update';
import { makeFriendAddTool } from './friend-add';
import { makeFriendBlockTool } from './friend-block';
import { makeFriendListTool } from './friend-list';
import { makeFriendRemoveTool } from './friend-remove';
import { makeFriendSendTool } from './friend-send';
import { makeFriendShareSubuserTool } from './friend-share-subuser';
import { makeFriendUnblockTool } from './friend-unblock';
import { makeFriendUnshareSubuserTool } from './friend-unshare-subuser';
import { makeHeartbeatAddTool } from './heartbeat-add';
import { makeHeartbeatListTool } from './heartbeat-list';
import { makeHeartbeatRemoveTool } from './heartbeat-remove';
import { makeMemoryTools, type MemoryUsecases } from './memory-tools';
import { makeRequestPermissionTool } from './request-permission';
import { makeSendAgentMessageTool } from './send-agent-message';
import { makeSignalEventsTool } from './signal-events';
import { makeSignalSubscribeTool } from './signal-subscribe';
import { makeSignalUnsubscribeTool } from './signal-unsubscribe';
import { makeSkillReadTool } from './skill-read';
import { makeStartBackgroundAgentTool } from './start-background-agent';
import { makeSubuserConfigureTool } from './subuser-configure';
import { makeSubuserCreateTool } from './subuser-create';
import { makeSubuserDeleteTool } from './subuser-delete';
import { makeSubuserListTool } from './subuser-list';
import { makeSubuserRenameTool } from './subuser-rename';
import type { Tool } from './tool';
import { makeTopologyTool } from './topology';

/** What the tools are made of. */
export interface ToolDeps extends ScheduleUsecases {
  readonly channels: Channels;
  readonly endpoints: Endpoints;
  readonly friends: Friends;
  readonly guards: RunawayGuards;
  /** Undefined where users have no directories. */
  readonly homes: UserHomes | undefined;
  /** As are homes. */
  readonly memory: MemoryUsecases | undefined;
  readonly signals: Signals;
  /** Undefined where programs may not or cannot be run. */
  readonly runProgram: RunProgram | undefined;
  readonly skills: SkillCatalog;
  readonly createSubuser: ReturnType<typeof makeCreateSubuser>;
  readonly configureSubuser: ReturnType<typeof makeConfigureSubuser>;
  readonly renameSubuser: ReturnType<typeof makeRenameSubuser>;
  readonly deleteSubuser: ReturnType<typeof makeDeleteSubuser>;
  readonly listSubusers: ReturnType<typeof makeListSubusers>;
  readonly sendAgentMessage: ReturnType<typeof makeSendAgentMessage>;
  readonly requestPermission: RequestPermission;
  readonly showTopology: ShowTopology;
  readonly resetAgent: ReturnType<typeof makeResetAgent>;
  readonly startBackgroundAgent: ReturnType<typeof makeStartBackgroundAgent>;
}

/** Every tool there is. A new one is a new line. */
export function makeTools(deps: ToolDeps): readonly Tool[] {
  return [
    makeAgentResetTool(deps),
    makeChannelCreateTool(deps),
    makeChannelHistoryTool(deps),
    makeChannelJoinTool(deps),
    makeChannelLeaveTool(deps),
    makeChannelSendTool(deps),
    ...makeFileTools(deps),
    makeCronAddTool(deps),
    makeCronListTool(deps),
    makeCronPauseTool(deps),
    makeCronRemoveTool(deps),
    ...makeExecTools(deps),
    makeEmitSignalTool(deps),
    makeExposeCreateTool(deps),
    makeExposeListTool(deps),
    makeExposeRemoveTool(deps),
    makeExposeUpdateTool(deps),
    makeFriendAddTool(deps),
    makeFriendBlockTool(deps),
    makeFriendListTool(deps),
    makeFriendRemoveTool(deps),
    makeFriendSendTool(deps),
    makeFriendShareSubuserTool(deps),
    makeFriendUnblockTool(deps),
    makeFriendUnshareSubuserTool(deps),
    makeHeartbeatAddTool(deps),
    makeHeartbeatListTool(deps),
    makeHeartbeatRemoveTool(deps),
    ...makeMemoryTools(deps),
    makeRequestPermissionTool(deps),
    makeSendAgentMessageTool(deps),
    makeSignalEventsTool(deps),
    makeSignalSubscribeTool(deps),
    makeSignalUnsubscribeTool(deps),
    makeSkillReadTool(deps),
    makeStartBackgroundAgentTool(deps),
    makeSubuserConfigureTool(deps),
    makeSubuserCreateTool(deps),
    makeSubuserDeleteTool(deps),
    makeSubuserListTool(deps),
    makeSubuserRenameTool(deps),
    makeTopologyTool(deps),
  ];
}
