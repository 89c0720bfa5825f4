import type { RateUse } from '#money/rate-limit.ts'
import type { Person } from './book-cells.ts'
import { lineRateUseRow, rateUseRow, type RowValue } from './new-rows.ts'

/** The usage under rate limits that a batch has changed. Each changed row is written once. */
export class ChangedUses {
  readonly #people = new Set<Person>()
  readonly #lines = new Map<Person, Set<string>>()

  /** Replaces the usage that the rate limits of the end user and the bundle count. */
  change(person: Person, uses: readonly RateUse[]): void {
    if (uses === person.uses) return
    person.uses = uses
    this.#people.add(person)
  }

  /** Replaces the usage that the rate limits of a key line count. */
  changeLine(person: Person, lineId: string, uses: readonly RateUse[]): void {
    if (uses === person.lineUses.get(lineId)) return
    person.lineUses.set(lineId, uses)
    const lines = this.#lines.get(person)
    if (lines === undefined) this.#lines.set(person, new Set([lineId]))
    else lines.add(lineId)
  }

  write(write: (kind: 'rate_use' | 'line_rate_use', values: RowValue[]) => void): void {
    for (const person of this.#people) write('rate_use', rateUseRow.values(person))
    for (const [person, lines] of this.#lines)
      for (const lineId of lines) write('line_rate_use', lineRateUseRow.values(person, lineId))
  }

  clear(): void {
    if (this.#people.size > 0) this.#people.clear()
    if (this.#lines.size > 0) this.#lines.clear()
  }
}
