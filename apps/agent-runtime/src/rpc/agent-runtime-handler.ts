import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { agentRuntimeRules } from '@daycare/contracts/scopes';
import { implementService, type ServiceImplementation } from '@daycare/rpc';
import type { StatusReport } from '@daycare/service-kit';
import { agentHandlers, type AgentUsecases } from '../agents/rpc/agent-handlers';
import { connectorHandlers, type ConnectorUsecases } from '../connectors/rpc/connector-handlers';
import { fileHandlers, type FileUsecases } from '../files/rpc/file-handlers';
import { messagingHandlers, type MessagingUsecases } from '../messaging/rpc/messaging-handlers';
import { modelHandlers, type ModelUsecases } from '../models/rpc/model-handlers';
import {
  permissionHandlers,
  type PermissionUsecases,
} from '../permissions/rpc/permission-handlers';
import type { ScheduleUsecases } from '../schedules';
import { scheduleHandlers } from '../schedules/rpc/schedule-handlers';
import type { ScopeUsecases } from '../scope';
import { scopeHandlers } from '../scope/rpc/scope-handlers';
import type { ReviewSkills } from '../skills';
import { skillHandlers } from '../skills/rpc/skill-handlers';
import { spendingHandlers, type SpendingUsecases } from '../spending/rpc/spending-handlers';
import { toolHandlers, type ToolUsecases } from '../tools/rpc/tool-handlers';

import type { OperateShards } from '../turns';
import { operationHandlers } from '../turns/rpc/operation-handlers';

/** The use cases that the RPCs call, by feature. */
export interface AgentRuntimeUsecases {
  readonly agents: AgentUsecases;
  readonly connectors: ConnectorUsecases;
  readonly messaging: MessagingUsecases;
  readonly models: ModelUsecases;
  readonly permissions: PermissionUsecases;
  readonly schedules: ScheduleUsecases;
  readonly files: FileUsecases;
  readonly scope: ScopeUsecases;
  readonly skills: ReviewSkills;
  readonly spending: SpendingUsecases;
  readonly tools: ToolUsecases;
  readonly operate: OperateShards;
  /** The RPCs for operators, which every service has. */
  readonly status: StatusReport['handlers'];
}

/** daycare.agent_runtime.v1.AgentRuntimeService, composed of the features' handlers. */
export function agentRuntimeHandler(features: AgentRuntimeUsecases): ServiceImplementation {
  return implementService(
    'daycare.agent_runtime.v1.AgentRuntimeService',
    AgentRuntimeServiceService,
    agentRuntimeRules,
    {
      ...agentHandlers(features.agents),
      ...connectorHandlers(features.connectors),
      ...messagingHandlers(features.messaging),
      ...modelHandlers(features.models),
      ...permissionHandlers(features.permissions),
      ...scheduleHandlers(features.schedules),
      ...fileHandlers(features.files),
      ...scopeHandlers(features.scope),
      ...skillHandlers(features.skills),
      ...spendingHandlers(features.spending),
      ...toolHandlers(features.tools),
      ...operationHandlers(features.operate),
      ...features.status,
    },
  );
}
