/**
 * Each method takes an object of fields and then a sentence, as in pino. The log never contains content or a secret.
 */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
