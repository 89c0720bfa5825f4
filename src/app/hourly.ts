const everyMs = 3_600_000

/**
 * Does the work now and every hour, one run after the other. A failed run is told of, and the next one is made.
 * @param work with a signal to end early at
 * @returns a function that ends it and waits for work under way
 */
export function hourly(
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
