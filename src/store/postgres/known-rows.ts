/**
 * The rows that a lane remembers from its committed batches, so that the next batch does not read them again. A failed
 * batch empties the memory, and the batch after it reads everything, whatever was expected.
 *
 * Calls in flight: only the process that opened a hold changes or closes it, and each end user has one lane. Other
 * processes end the hold only after they have ended the lane, which every batch looks at first (postgres/lane.ts). The
 * write that closes a hold also claims it (write.ts).
 */
import type { Operation } from '#store/ledger/batch-operations.ts'
import type { OpenHold } from '#store/ledger/book-cells.ts'
import { RenewedMap } from '#store/ledger/renewed-map.ts'
import type { PostgresNeed } from './load-needs.ts'

/** The memory as one batch sees it. Cells are copies, because an attempt at a batch changes them. */
export interface Remembered {
  /** Returns null if the call has no hold, and undefined if the row must be read. */
  open(callId: string): OpenHold | null | undefined
}

/** Everything must be read. */
export const nothing: Remembered = { open: () => undefined }

/** The cells of a batch that was committed. */
export interface CommittedCells {
  /** Null for a call that has ended. */
  readonly calls: Iterable<readonly [callId: string, open: OpenHold | null]>
}

export class KnownRows {
  readonly #epoch: number
  #calls = new RenewedMap<OpenHold>()
  #isCautious = false

  constructor(epoch: number) {
    this.#epoch = epoch
  }

  /**
   * A call that is being reserved has no hold yet. If it has one nevertheless, adding another fails, and the batch is
   * decided again without memory.
   */
  for(operations: readonly Operation[]): Remembered {
    if (this.#isCautious) return nothing
    const added = new Set<string>()
    for (const operation of operations) if (operation.kind === 'reserve') added.add(operation.request.callId)
    return {
      open: (callId) => {
        const open = this.#calls.get(callId)
        if (open !== undefined) return { ...open }
        return added.has(callId) ? null : undefined
      },
    }
  }

  keep({ calls }: CommittedCells): void {
    this.#isCautious = false
    for (const [callId, open] of calls) {
      if (open === null) this.#calls.delete(callId)
      else if (open.epoch === this.#epoch) this.#calls.set(callId, open)
    }
  }

  /** Call after a batch failed, or if it is not known whether the batch was committed. */
  forget(): void {
    this.#calls = new RenewedMap()
    this.#isCautious = true
  }
}

/** Whether the memory makes the read unnecessary. */
export function isKnown(need: PostgresNeed, remembered: Remembered): boolean {
  return need.kind === 'hold' && remembered.open(need.callId) !== undefined
}
