/** What both entry points of the package export; each adds its own `connect`. */
export type { ConnectOptions, Daycare } from './connect';
export { DaycareError, isDaycareError, type ErrorReason } from './transport/daycare-error';
export { newRequestId } from './calls/request-id';
export { resume } from './calls/resume';
export type { TokenOption } from './connect';
export type { Tokens } from './calls/token-source';
export type { CallOptions, ResumeOptions } from './transport/transport';
export {
  type Agent,
  type AnswerOptions,
  type AskOptions,
  type Channel,
  type SendOptions,
} from './api/agent';
export type { Answer } from './api/find-answer';
export type { ChangeOptions, Friends } from './api/friends';
export type { DownloadedFile, Files, StoredFile } from './api/files';
export type { Decision, Permissions } from './api/permissions';
export type { Subusers } from './api/subusers';
export type {
  AgentEvent,
  PermissionEvent,
  Watches,
  WatchOptions,
  WatchTopologyOptions,
} from './api/watches';
export type { Rpcs } from './calls/rpc';
