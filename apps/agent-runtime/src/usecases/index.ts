import type { makeCreateCron } from './create-cron';
import type { makeCreateHeartbeat } from './create-heartbeat';
import type { makeListDeadLetters, makeRetryDeadLetter } from './dead-letters';
import type { makeDeleteCron } from './delete-cron';
import type { makeDeleteHeartbeat } from './delete-heartbeat';
import type { DescribeAgents } from './describe-agents';
import type { makeDownloadFile } from './download-file';
import type { makeEnsureAgent } from './ensure-agent';
import type { makeExportAgent } from './export-agent';
import type { makeGetAgent } from './get-agent';
import type { makeDecidePermission } from './decide-permission';
import type { makeListPermissionRequests } from './list-permission-requests';
import type { makeWatchPermissionRequests } from './watch-permission-requests';
import type { makeListAgents } from './list-agents';
import type { makeListCrons } from './list-crons';
import type { makeListHeartbeats } from './list-heartbeats';
import type { makeListHistory } from './list-history';
import type { makeListScope } from './list-scope';
import type { makePauseCron } from './pause-cron';
import type { makePostMessage } from './post-message';
import type { makeResetAgent } from './reset-agent';
import type { makeSendAgentMessage } from './send-agent-message';
import type { makeStartBackgroundAgent } from './start-background-agent';
import type { makeUploadFile } from './upload-file';
import type { makeWatchAgent } from './watch-agent';

/** What can be done with schedules, by a person or an agent. */
export interface ScheduleUsecases {
  readonly createCron: ReturnType<typeof makeCreateCron>;
  readonly listCrons: ReturnType<typeof makeListCrons>;
  readonly pauseCron: ReturnType<typeof makePauseCron>;
  readonly deleteCron: ReturnType<typeof makeDeleteCron>;
  readonly createHeartbeat: ReturnType<typeof makeCreateHeartbeat>;
  readonly listHeartbeats: ReturnType<typeof makeListHeartbeats>;
  readonly deleteHeartbeat: ReturnType<typeof makeDeleteHeartbeat>;
}

/** What AgentRuntimeService can be asked to do. */
export interface AgentRuntimeUsecases extends ScheduleUsecases {
  readonly postMessage: ReturnType<typeof makePostMessage>;
  readonly watchAgent: ReturnType<typeof makeWatchAgent>;
  readonly getAgent: ReturnType<typeof makeGetAgent>;
  readonly listAgents: ReturnType<typeof makeListAgents>;
  readonly resetAgent: ReturnType<typeof makeResetAgent>;
  readonly sendAgentMessage: ReturnType<typeof makeSendAgentMessage>;
  readonly startBackgroundAgent: ReturnType<typeof makeStartBackgroundAgent>;
  readonly listPermissionRequests: ReturnType<typeof makeListPermissionRequests>;
  readonly watchPermissionRequests: ReturnType<typeof makeWatchPermissionRequests>;
  readonly decidePermission: ReturnType<typeof makeDecidePermission>;
  readonly listHistory: ReturnType<typeof makeListHistory>;
  readonly exportAgent: ReturnType<typeof makeExportAgent>;
  readonly listDeadLetters: ReturnType<typeof makeListDeadLetters>;
  readonly retryDeadLetter: ReturnType<typeof makeRetryDeadLetter>;
  readonly uploadFile: ReturnType<typeof makeUploadFile>;
  readonly downloadFile: ReturnType<typeof makeDownloadFile>;
  readonly ensureAgent: ReturnType<typeof makeEnsureAgent>;
  readonly describeAgents: DescribeAgents;
  readonly listScope: ReturnType<typeof makeListScope>;
}
