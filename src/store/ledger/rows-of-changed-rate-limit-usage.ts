import type { RateUse } from '#money/rate-limit.ts'
import type { Person } from './state-types.ts'
import { lineRateUseRow, rateUseRow, type RowValue } from './rows-that-batch-inserts.ts'
import type { WriteKind } from './writes-of-batch.ts'

/** The usage counted by the rate limits of an end user or a key line, which a batch has changed. */
export interface ChangedUse {
  readonly person: Person
  /** The key line whose limits count the usage. Null if the limits of the end user and the bundle count the usage. */
  readonly lineId: string | null
}

/** The usage counted by rate limits that a batch has changed. The batch writes each changed row once. */
export class ChangedUses {
  readonly #people = new Set<Person>()
  /** The key lines whose usage has changed, by the ID of the key line. */
  readonly #lines = new Map<string, Person>()

  /** Stores the usage that the rate limits of the end user and the bundle have counted. */
  change(person: Person, uses: readonly RateUse[]): void {
    person.uses = uses
    this.#people.add(person)
  }

  /** Stores the usage that the rate limits of a key line have counted. */
  changeLine(person: Person, lineId: string, uses: readonly RateUse[]): void {
    person.lineUses.set(lineId, uses)
    this.#lines.set(lineId, person)
  }

  all(): readonly ChangedUse[] {
    if (this.#people.size + this.#lines.size === 0) return none
    const all: ChangedUse[] = []
    for (const person of this.#people) all.push({ person, lineId: null })
    for (const [lineId, person] of this.#lines) all.push({ person, lineId })
    return all
  }

  clear(): void {
    if (this.#people.size > 0) this.#people.clear()
    if (this.#lines.size > 0) this.#lines.clear()
  }
}

const none: readonly ChangedUse[] = []

/** Returns the kind and the values of the row that stores the usage. */
export function rowOfUse({ lineId, person }: ChangedUse): [WriteKind, RowValue[]] {
  return lineId === null
    ? ['rate_use', rateUseRow.values(person)]
    : ['line_rate_use', lineRateUseRow.values(person, lineId)]
}
