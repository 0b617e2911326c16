export {
  AppError,
  describeViolation,
  invalidField,
  notFound,
  requestIdReused,
  type ErrorDetails,
} from './app-error';
export { classifyFailure } from './errors/classify-failure';
export {
  errorCodeOfGrpcStatus,
  errorCodes,
  grpcStatusOf,
  type ErrorCode,
} from './errors/error-code';
export { describeUnknownVariable, findUnknownVariables } from './configuration/unknown-variables';
export { FieldChecks } from './field-checks';
export { fitPage, type FittedPage } from './paging/fit-page';
export { limitEntries } from './limit-entries';
export { messageIdOf } from './message-id';
export { nametagPattern, parseNametag, type Nametag } from './nametag';
export {
  decodeJsonToken,
  encodeJsonToken,
  encodePageToken,
  isTime,
  readPageToken,
  type PageCursor,
} from './paging/page-token';
export { pageTokenAfter, readTimePage, type TimePosition } from './paging/time-position';
export {
  assertRequestIdUnused,
  findRequest,
  maxRecentRequests,
  rememberRequest,
  type RecentRequest,
} from './recent-requests';
export { genericMessage, toAppError } from './to-app-error';
export { isTimeZone } from './time-zone';
export { isForeign, isTrust, lowestTrust, trustLevels, type Trust } from './trust';
