/**
 * Keeps the rows that the ledger has read, so that a call of a cached end user reads no rows. The cache contains only
 * committed state. SQLite keeps the cache between batches. A batch that fails empties the cache. A write by another
 * writer drops the parts of the cache that the write may have changed. On PostgreSQL, other processes also write. Each
 * batch therefore begins with an empty cache, and copies the cells that its connection remembers
 * (postgres/rows-known-to-lane.ts).
 */
import type { Mode } from '#domain/application-config.ts'
import type { Quote } from '#money/decision-types.ts'
import type { RateUse } from '#money/rate-limit.ts'
import {
  type ApplicationCell,
  type BundleCell,
  type KeyCell,
  type Person,
  type RunCell,
  runName,
} from './state-types.ts'

/**
 * Maximum number of end users in each of the two caches (newer and older), counted over both modes. An end user takes
 * about 1 KB.
 */
const peopleMax = 50_000
const keysMax = 100_000
const quotesMax = 20_000
/**
 * Maximum number of an end user's runs that remain in memory between two batches. An end user may have a new run for
 * each request, but few runs are still in use.
 */
export const runsMax = 32
/**
 * Maximum number of an end user's key lines whose usage remains in memory. An end user may get a new key for each
 * session, but few key lines are still in use.
 */
export const linesMax = 32

const sourcesOfPeople = [
  'end_users',
  'accounts',
  'sources',
  'usage_days',
  'outcome_runs',
  'ledger',
  'rate_uses',
  'line_rate_uses',
] as const
const sourcesOfApplications = ['applications', 'portal_settings'] as const
const sourcesOfBundles = ['bundles', 'bundle_includes', 'past_includes', 'aliases'] as const

export class BookCache {
  readonly applications = new Map<string, ApplicationCell | null>()
  readonly keys = new Map<string, KeyCell>()
  readonly bundles = new Map<string, BundleCell | null>()
  readonly quotes = new Map<string, Quote>()
  #people = byMode<Person>()
  /**
   * The older of two caches of end users. An end user who is read again moves to the newer cache. End users who are not
   * read again are dropped together with the older cache.
   */
  #peopleBefore = byMode<Person>()
  #peopleCount = 0
  /** End users with more than `runsMax` runs. */
  #crowded: Person[] = []
  /** End users with the usage or the spending of more than `linesMax` key lines. */
  #withManyLines = new Set<Person>()

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

  keepRun(person: Person, run: RunCell): void {
    person.runs.set(runName(run.slug, run.runId), run)
    if (person.runs.size > runsMax) this.#crowded.push(person)
  }

  keepLineUses(person: Person, lineId: string, uses: readonly RateUse[]): void {
    person.lineUses.set(lineId, uses)
    this.noteLines(person)
  }

  noteLines(person: Person): void {
    if (Math.max(person.lineUses.size, person.spends.size) > linesMax) this.#withManyLines.add(person)
  }

  /** Call this function only between batches, and only if the tables contain all usage of key lines. */
  trimLines(): void {
    if (this.#withManyLines.size === 0) return
    for (const { lineUses, spends } of this.#withManyLines) {
      lineUses.clear()
      spends.clear()
    }
    this.#withManyLines = new Set()
  }

  people(): Iterable<Person> {
    return [...this.#people.live.values(), ...this.#people.test.values()]
  }

  /**
   * Call this function only between batches. A running batch may still use the end users and runs that this function
   * drops.
   */
  trim(): void {
    for (const { runs } of this.#crowded) runs.clear()
    if (this.#crowded.length > 0) this.#crowded = []
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

  /** @param tables tables that another writer changed; null if the changed tables are unknown */
  forget(tables: readonly string[] | null): void {
    if (isAny(tables, sourcesOfApplications)) this.applications.clear()
    if (isAny(tables, ['keys'])) this.keys.clear()
    if (isAny(tables, sourcesOfBundles)) this.bundles.clear()
    if (isAny(tables, sourcesOfPeople)) {
      this.#people = byMode()
      this.#peopleBefore = byMode()
      this.#peopleCount = 0
    }
  }
}

/** Has a field for each mode. A look-up by the mode's name is slow for strings that come from another thread. */
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
