import type { RateUse } from '#money/rate-limit.ts'
import type { Person } from './state-types.ts'
import { lineRateUseRow, rateUseRow, type RowValue } from './rows-that-batch-inserts.ts'
import type { WriteKind } from './writes-of-batch.ts'

export interface ChangedUse {
  readonly person: Person
  /** The key line whose limits count the usage. Null if the limits of the end user and the bundle count the usage. */
  readonly lineId: string | null
}

/** The batch writes each changed row once. */
export class ChangedUses {
  readonly #people = new Set<Person>()
  readonly #lines = new Map<string, Person>()

  change(person: Person, uses: readonly RateUse[]): void {
    person.uses = uses
    this.#people.add(person)
  }

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

export function rowOfUse({ lineId, person }: ChangedUse): [WriteKind, RowValue[]] {
  return lineId === null
    ? ['rate_use', rateUseRow.values(person)]
    : ['line_rate_use', lineRateUseRow.values(person, lineId)]
}
