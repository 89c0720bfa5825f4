import { hourMs } from '#money/periods-and-windows.ts'

/**
 * Runs the work now and every hour. Runs never overlap. A failed run is logged and does not prevent the next run.
 * @param work receives a signal that is aborted when the work should end early
 * @param afterHourMs time after the start of each hour at which the work runs; null to run an hour after the previous
 *   run
 * @returns a function that stops the schedule and waits for a run in progress
 */
export function runHourly(
  work: (ending: AbortSignal) => Promise<unknown>,
  onFault: (error: unknown) => void,
  afterHourMs: number | null = null,
): () => Promise<void> {
  const ending = new AbortController()
  let running = Promise.resolve()
  let timer: NodeJS.Timeout | null = null
  const once = async (): Promise<void> => {
    // A run that became due during a longer run must not delay the stop.
    if (ending.signal.aborted) return
    try {
      await work(ending.signal)
    } catch (error) {
      onFault(error)
    }
  }
  const run = (): void => {
    running = running.then(once)
    const waitMs = afterHourMs === null ? hourMs : hourMs - ((Date.now() - afterHourMs) % hourMs)
    timer = setTimeout(run, waitMs).unref()
  }
  run()
  return () => {
    if (timer !== null) clearTimeout(timer)
    ending.abort()
    return running
  }
}
