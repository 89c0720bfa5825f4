/**
 * What the writer remembers between batches, so that a call of a known person reads no row. It is
 * only ever what is committed: a batch that fails throws it all away, and a foreign write throws away
 * what it may have changed.
 */
import type { Mode } from '#domain/application-config.ts'
import type { Quote } from '#money/hold.ts'
import type { ApplicationCell, BundleCell, KeyCell, OpenHold, Person } from './book.ts'

/** People remembered at least, of both modes together; at most twice as many. About 1 KB each. */
const peopleMax = 50_000
const keysMax = 100_000
const quotesMax = 20_000

/** Which tables each part of the memory is made of. */
const sourcesOfPeople = ['end_users', 'accounts', 'sources', 'usage_days', 'outcome_runs', 'ledger'] as const
const sourcesOfBundles = ['bundles', 'bundle_includes', 'aliases'] as const

export class Memory {
  readonly applications = new Map<string, ApplicationCell | null>()
  readonly keys = new Map<string, KeyCell>()
  readonly bundles = new Map<string, BundleCell | null>()
  readonly quotes = new Map<string, Quote>()
  /** Every call in flight, or null when they must be loaded again. Only the ledger writes them. */
  holds: OpenHolds | null = null
  #people = byMode<Person>()
  /** The generation before: whoever is asked for moves up, whoever is not is forgotten with it. */
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

  /** Between batches: whoever is in the middle of one must not be forgotten. */
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
    this.holds = null
  }

  /** @param tables that someone else wrote; null: nobody knows which. */
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

const noHolds: readonly OpenHold[] = []

/**
 * After so many deletions the maps of calls in flight are made anew. A Map that is added to and deleted
 * from is moved to a new table time and again, and V8 leaves in each old table a pointer to the next: once
 * one of them is in the old generation, every table after it is kept until the next major collection,
 * with the calls that were in it. Under load that was 8 KB a call, promoted for nothing: a tenth of the CPU.
 */
const deletionsMax = 1024

/** The calls in flight, by id and by whose they are. */
export class OpenHolds {
  #byCall = new Map<string, OpenHold>()
  #byPerson: Readonly<Record<Mode, Map<string, OpenHold[]>>> = { live: new Map(), test: new Map() }
  #deletions = 0

  get(callId: string): OpenHold | null {
    return this.#byCall.get(callId) ?? null
  }

  all(): Iterable<OpenHold> {
    return this.#byCall.values()
  }

  of({ endUserId, mode }: Person): Iterable<OpenHold> {
    return ofMode(this.#byPerson, mode).get(endUserId) ?? noHolds
  }

  add(open: OpenHold): void {
    const { endUserId, mode } = open.person
    this.#byCall.set(open.hold.callId, open)
    const people = ofMode(this.#byPerson, mode)
    const theirs = people.get(endUserId)
    if (theirs === undefined) people.set(endUserId, [open])
    else theirs.push(open)
  }

  delete(open: OpenHold): void {
    const { endUserId, mode } = open.person
    this.#byCall.delete(open.hold.callId)
    const people = ofMode(this.#byPerson, mode)
    const theirs = people.get(endUserId)
    if (theirs !== undefined) {
      const at = theirs.indexOf(open)
      if (at >= 0) theirs.splice(at, 1)
      if (theirs.length === 0) people.delete(endUserId)
    }
    if (++this.#deletions >= deletionsMax) this.#renew()
  }

  #renew(): void {
    this.#deletions = 0
    this.#byCall = new Map(this.#byCall)
    this.#byPerson = { live: new Map(this.#byPerson.live), test: new Map(this.#byPerson.test) }
  }
}
