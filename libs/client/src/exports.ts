/** What both entries of the package export besides `connect`. */
export type { ConnectOptions, Daycare } from './connect';
export { DaycareError, isDaycareError, type ErrorReason } from './transport/daycare-error';
export { newRequestId } from './calls/request-id';
export type { TokenOption, Tokens } from './calls/token-source';
export type { CallOptions } from './transport/transport';
export {
  type Agent,
  type AgentEvent,
  type AskOptions,
  type Channel,
  type SendOptions,
  type WatchOptions,
} from './api/agent';
export type { Answer } from './api/find-answer';
export type { ChangeOptions, Friends } from './api/friends';
export type { DownloadedFile, Files } from './api/files';
export type { Decision, Permissions } from './api/permissions';
export type { Subusers } from './api/subusers';
export type { Rpcs } from './calls/rpc';
