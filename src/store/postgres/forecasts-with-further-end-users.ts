import assert from 'node:assert/strict'
import { performOne } from '#store/ledger/handle-failed-batches.ts'
import type { Operation, OperationResult } from '#store/ledger/operations-and-results.ts'
import { NotLocked, type PostgresBook } from './ledger-state.ts'
import { type CallOwners, type Forecast, forecastOf, type PrefetchHints } from './predict-rows-for-batch.ts'

/**
 * Predicts what an operation needs. If an attempt at an operation needed another end user, such as the payer of a team,
 * the prediction for the next attempts includes this end user.
 */
export class Forecasts {
  readonly #owners: CallOwners
  readonly #hints: PrefetchHints
  readonly #further = new WeakMap<Operation, Set<string>>()

  constructor({ hints, owners }: { readonly hints: PrefetchHints; readonly owners: CallOwners }) {
    this.#owners = owners
    this.#hints = hints
  }

  of(operation: Operation): Forecast {
    const forecast = forecastOf(operation, this.#owners, this.#hints)
    const further = this.#further.get(operation)
    return further === undefined ? forecast : { ...forecast, people: [...forecast.people, ...further] }
  }

  /** @throws NotLocked */
  performOne(book: PostgresBook, operation: Operation): OperationResult {
    try {
      return performOne(book, operation)
    } catch (error) {
      if (error instanceof NotLocked) {
        const further = this.#further.get(operation) ?? new Set<string>()
        assert(!further.has(error.endUserId), `the batch did not lock ${error.endUserId}`)
        this.#further.set(operation, further.add(error.endUserId))
      }
      throw error
    }
  }
}
