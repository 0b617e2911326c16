import type { Friends } from '../rpc/social-graph-client';
import type { ShowTopology } from '../rpc/topology-client';
import type { SkillCatalog } from '../skills/skill-catalog';
import type { makeConfigureSubuser } from '../usecases/configure-subuser';
import type { makeCreateSubuser } from '../usecases/create-subuser';
import type { makeListSubusers } from '../usecases/list-subusers';
import type { RequestPermission } from '../usecases/request-permission';
import type { makeResetAgent } from '../usecases/reset-agent';
import type { makeSendAgentMessage } from '../usecases/send-agent-message';
import type { makeStartBackgroundAgent } from '../usecases/start-background-agent';
import { makeAgentResetTool } from './agent-reset';
import { makeFriendAddTool } from './friend-add';
import { makeFriendBlockTool } from './friend-block';
import { makeFriendListTool } from './friend-list';
import { makeFriendRemoveTool } from './friend-remove';
import { makeFriendSendTool } from './friend-send';
import { makeFriendShareSubuserTool } from './friend-share-subuser';
import { makeFriendUnblockTool } from './friend-unblock';
import { makeFriendUnshareSubuserTool } from './friend-unshare-subuser';
import { makeRequestPermissionTool } from './request-permission';
import { makeSendAgentMessageTool } from './send-agent-message';
import { makeSkillReadTool } from './skill-read';
import { makeStartBackgroundAgentTool } from './start-background-agent';
import { makeSubuserConfigureTool } from './subuser-configure';
import { makeSubuserCreateTool } from './subuser-create';
import { makeSubuserListTool } from './subuser-list';
import type { Tool } from './tool';
import { makeTopologyTool } from './topology';

/** What the tools are made of. */
export interface ToolDeps {
  readonly friends: Friends;
  readonly skills: SkillCatalog;
  readonly createSubuser: ReturnType<typeof makeCreateSubuser>;
  readonly configureSubuser: ReturnType<typeof makeConfigureSubuser>;
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
    makeFriendAddTool(deps),
    makeFriendBlockTool(deps),
    makeFriendListTool(deps),
    makeFriendRemoveTool(deps),
    makeFriendSendTool(deps),
    makeFriendShareSubuserTool(deps),
    makeFriendUnblockTool(deps),
    makeFriendUnshareSubuserTool(deps),
    makeRequestPermissionTool(deps),
    makeSendAgentMessageTool(deps),
    makeSkillReadTool(deps),
    makeStartBackgroundAgentTool(deps),
    makeSubuserConfigureTool(deps),
    makeSubuserCreateTool(deps),
    makeSubuserListTool(deps),
    makeTopologyTool(deps),
  ];
}
