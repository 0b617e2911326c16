/** The part of a pino logger that libraries use. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Whether lines of a level are written; in a logger without this method, all are. */
  isLevelEnabled?(level: string): boolean;
}
