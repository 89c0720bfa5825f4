import { hourMs } from '#money/period.ts'

const everyMs = hourMs

/**
 * Runs the work now and every hour. Runs never overlap. A failed run is logged, and the next run still takes place.
 * @param work receives a signal that is aborted when the work should end early
 * @returns a function that stops the schedule and waits for a run in progress
 */
export function runHourly(
  work: (ending: AbortSignal) => Promise<unknown>,
  onFault: (error: unknown) => void,
): () => Promise<void> {
  const ending = new AbortController()
  let running = Promise.resolve()
  const once = async (): Promise<void> => {
    try {
      await work(ending.signal)
    } catch (error) {
      onFault(error)
    }
  }
  const run = (): void => {
    running = running.then(once)
  }
  run()
  const timer = setInterval(run, everyMs)
  timer.unref()
  return () => {
    clearInterval(timer)
    ending.abort()
    return running
  }
}
