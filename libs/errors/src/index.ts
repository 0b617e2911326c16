export { AppError, notFound, type ErrorDetails, type FieldViolation } from './app-error';
export {
  errorCodeOfGrpcStatus,
  errorCodes,
  grpcStatusOf,
  retryOf,
  type ErrorCode,
} from './error-code';
export { FieldChecks } from './field-checks';
export { fitPage, type FittedPage } from './fit-page';
export { nametagPattern, parseNametag, type Nametag } from './nametag';
export {
  decodePageToken,
  encodePageToken,
  isTime,
  readPageToken,
  type PageCursor,
} from './page-token';
export { blandTextOf, toAppError } from './to-app-error';
