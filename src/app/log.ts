import { pino } from 'pino'
import type { Logger } from '#domain/log.ts'
import type { Config } from './config.ts'

/**
 * JSON lines on standard error, so that standard output is only ever what a command was asked to print.
 * Secrets and content have no field here; what could carry one anyway is removed by name.
 */
export function makeLog(level: Config['logLevel']): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['*.authorization', '*.headers', '*.apiKey', '*.token', '*.key', '*.secret'],
    },
    pino.destination({ fd: 2, sync: false }),
  )
}
