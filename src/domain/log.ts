/** The log, in pino's format: an object of fields, then a sentence. It never contains content or a secret. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
