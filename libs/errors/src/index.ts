export { AppError, notFound, type ErrorDetails, type FieldViolation } from './app-error';
export {
  errorCodeOfGrpcStatus,
  errorCodes,
  grpcStatusOf,
  retryOf,
  type ErrorCode,
} from './error-code';
export { FieldChecks } from './field-checks';
export { nametagPattern, parseNametag, type Nametag } from './nametag';
export { blandTextOf, toAppError } from './to-app-error';
