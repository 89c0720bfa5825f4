import { pino } from 'pino'
import type { Logger } from '#domain/log.ts'
import type { Config } from './config.ts'

/**
 * JSON lines on standard error, so that standard output holds only the output of a command. Secrets and
 * content have no field here; fields that could carry one are removed by name.
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
