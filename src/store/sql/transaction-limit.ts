/**
 * Rejects if a transaction of the control plane has been open for too long, because the ledger waits for the rows that
 * it has changed.
 */
export function timeLimit(ms: number): { promise: Promise<never>; cancel: () => void } {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(
      new Error(`a transaction was rolled back because writes of the ledger had waited for it for ${ms} ms`),
    )
  }, ms)
  return { promise, cancel: () => clearTimeout(timer) }
}
