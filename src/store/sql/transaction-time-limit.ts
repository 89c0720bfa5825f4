import { StoreUnavailable } from '#domain/ledger-interface.ts'

/** Thrown if a transaction of the control plane has been open for too long. Its changes are rolled back. */
export class TransactionOverdue extends StoreUnavailable {}

/**
 * Waits for the work of a transaction of the control plane, but not longer than `ms`. The ledger has to wait for the
 * rows that the transaction has changed.
 * @throws TransactionOverdue
 */
export async function withinLimit<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(
      new TransactionOverdue(
        `a transaction was rolled back because writes of the ledger had waited for it for ${ms} ms`,
      ),
    )
  }, ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
