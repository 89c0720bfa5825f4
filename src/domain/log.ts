/** The log, in the form of pino: an object of fields, then a sentence. Never content, never a secret. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
