import type { Logger } from '#domain/log.ts'

const everyMs = 3_600_000

/**
 * Does a chore now and every hour, once at a time. @returns a function that ends it and waits for work under way
 * @param failure a sentence for the log, for a chore that could not be done
 */
export function everyHour(chore: () => Promise<unknown>, failure: string, log: Logger): () => Promise<void> {
  let running = Promise.resolve()
  const attempt = async (): Promise<void> => {
    try {
      await chore()
    } catch (err) {
      log.warn({ err }, `${failure}; trying again in an hour`)
    }
  }
  const run = (): void => {
    running = running.then(attempt)
  }
  run()
  const timer = setInterval(run, everyMs)
  timer.unref()
  return () => {
    clearInterval(timer)
    return running
  }
}
