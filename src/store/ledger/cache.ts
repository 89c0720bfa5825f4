/**
 * What a book has read, so that a call of a known person reads no row. SQLite keeps it between batches,
 * where it is only ever what is committed: a batch that fails throws it all away, and a foreign write
 * throws away what it may have changed. PostgreSQL, where others write too, begins each batch with none.
 */
import type { Mode } from '#domain/application-config.ts'
import type { Quote } from '#money/hold.ts'
import type { ApplicationCell, BundleCell, KeyCell, Person } from './cells.ts'

/** People remembered at least, of both modes together; at most twice as many. About 1 KB each. */
const peopleMax = 50_000
const keysMax = 100_000
const quotesMax = 20_000

/** Which tables each part of the cache is made of. */
const sourcesOfPeople = ['end_users', 'accounts', 'sources', 'usage_days', 'outcome_runs', 'ledger'] as const
const sourcesOfBundles = ['bundles', 'bundle_includes', 'aliases'] as const

export class BookCache {
  readonly applications = new Map<string, ApplicationCell | null>()
  readonly keys = new Map<string, KeyCell>()
  readonly bundles = new Map<string, BundleCell | null>()
  readonly quotes = new Map<string, Quote>()
  #people = byMode<Person>()
  /** The generation before: a person who is asked for moves up, the others are forgotten with it. */
  #peopleBefore = byMode<Person>()
  #peopleCount = 0

  person(endUserId: string, mode: Mode): Person | undefined {
    const known = ofMode(this.#people, mode).get(endUserId)
    if (known !== undefined) return known
    const before = ofMode(this.#peopleBefore, mode).get(endUserId)
    if (before !== undefined) this.keepPerson(before)
    return before
  }

  keepPerson(person: Person): void {
    ofMode(this.#people, person.mode).set(person.endUserId, person)
    this.#peopleCount += 1
  }

  people(): Iterable<Person> {
    return [...this.#people.live.values(), ...this.#people.test.values()]
  }

  /** Between batches: a person in the middle of one must not be forgotten. */
  trim(): void {
    if (this.#peopleCount >= peopleMax) {
      this.#peopleBefore = this.#people
      this.#people = byMode()
      this.#peopleCount = 0
    }
    if (this.keys.size > keysMax) this.keys.clear()
    if (this.quotes.size > quotesMax) this.quotes.clear()
  }

  forgetAll(): void {
    this.forget(null)
    this.quotes.clear()
  }

  /** @param tables that others wrote; null: not known which */
  forget(tables: readonly string[] | null): void {
    if (isAny(tables, ['applications'])) this.applications.clear()
    if (isAny(tables, ['keys'])) this.keys.clear()
    if (isAny(tables, sourcesOfBundles)) this.bundles.clear()
    if (isAny(tables, sourcesOfPeople)) {
      this.#people = byMode()
      this.#peopleBefore = byMode()
      this.#peopleCount = 0
    }
  }
}

/** A field each and no look-up by name: texts that come from another thread are slow as names. */
interface ByMode<T> {
  readonly live: Map<string, T>
  readonly test: Map<string, T>
}

function byMode<T>(): ByMode<T> {
  return { live: new Map(), test: new Map() }
}

function ofMode<T>({ live, test }: ByMode<T>, mode: Mode): Map<string, T> {
  return mode === 'live' ? live : test
}

function isAny(tables: readonly string[] | null, sources: readonly string[]): boolean {
  return tables === null || tables.some((table) => sources.includes(table))
}
