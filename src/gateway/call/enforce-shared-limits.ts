/**
 * Enforces the limits of applications, tags and teams across all processes.
 *
 * For each rule, this process takes an amount (a slice) from the store and may spend it without asking the store again.
 * Before the reserve, a request sets aside the amount that it needs. Only the reserve rejects requests, based on that
 * amount (money/admit.ts).
 *
 * If the slice is too small, the request waits for an exchange (domain/limits/give-slices-of-shared-limit.ts). In an
 * exchange, the process first returns its unspent amounts to the store. The process then takes the amount that all
 * waiting requests need, and a share of the remaining amount.
 *
 * The whole usage of a request counts in the time slot in which its amount was set aside. A request in flight at the
 * end of a window therefore uses nothing of the next window. After a limit is used up, this process rejects requests
 * for a short time without asking the store. The process asks earlier only if the maximum changes, or if the process
 * itself returns an amount.
 *
 * If an exchange fails, the unspent amounts count as spent until their time slots leave the window, so the limit is
 * never exceeded. A limit on requests in flight has no window. The next exchange corrects the stored amount of such a
 * limit.
 */
import type { SharedScope, SliceStore } from '#domain/limits/shared-limit-slices-interface.ts'
import type { Mode } from '#domain/application-config.ts'
import type { HeldBound, RateLimit, RateMeasure, RateRule } from '#money/decision-types.ts'
import { appliesTo, neededAmount, type RateAmounts } from '#money/rate-limit.ts'
import {
  limitOfPart,
  type NeededAmounts,
  type Part,
  SharedLimitScope,
} from './exchange-slices-of-shared-limits.ts'
import type { Slice } from './slice-of-shared-limit.ts'
import type { Clock } from './dependencies-of-gateway.ts'

export interface SharedRules extends Pick<SharedScope, 'tag' | 'team'> {
  readonly rules: readonly RateRule[]
}

export interface SharedCall extends NeededAmounts {
  readonly alias: string
  readonly version: number
  /** Whether the configuration was read for this request, so that the reserve accepts it even if it has changed since. */
  readonly isFresh?: boolean
}

/** When the request ends, call exactly one of `settled`, `released` and `refused`. */
export interface SharedShare {
  /** Each remaining amount includes the amount that this request has set aside. */
  limits(): readonly RateLimit[]
  /** Call this when the hold is stored. Returns the amounts that the hold does not need to the slices. */
  holds(hold: HeldBound): void
  /** Sets more aside, for an extension of the hold. Call `holds` afterwards. */
  grow(more: (measure: RateMeasure) => bigint, nowMs: number): Promise<readonly RateLimit[]>
  /** Call this after the settle, with the actual usage. */
  settled(used: RateAmounts): void
  /** Call this if the request was not charged. It still counts toward limits on the number of requests. */
  released(): void
  /** Call this if the request was not admitted. It then counts toward no limit. */
  refused(): void
}

export class SharedLimits {
  readonly #store: SliceStore
  readonly #clock: Clock
  readonly #scopes = { live: new Map<string, Scopes>(), test: new Map<string, Scopes>() }

  constructor(store: SliceStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /**
   * Sets aside the amounts that a request needs. Returns null if no rule applies, and a promise only if a slice is too
   * small. The promise rejects if the store is unavailable.
   */
  admit(
    of: { readonly applicationId: string; readonly mode: Mode },
    shared: readonly SharedRules[],
    call: SharedCall,
  ): SharedShare | null | Promise<SharedShare> {
    let isLimited = false
    const parts: Part[] = []
    /** The set-aside amounts of each scope, in the order of `shared`. Null unless a scope waits for an exchange. */
    let waiting: (Part[] | Promise<Part[]>)[] | null = null
    for (const one of shared) {
      const applying = applyingTo(call.alias, one.rules)
      if (applying.length === 0) continue
      isLimited = true
      const scope = this.#scopeOf(of, one)
      // The reserve rejects requests with old cached rules as stale, so set nothing aside.
      if (!scope.knows(call.version) && call.isFresh !== true) continue
      try {
        const own: Part[] = waiting === null ? parts : []
        const wait = scope.setAside(applying, call, own)
        if (wait !== null) (waiting ??= [parts]).push(wait)
        else if (waiting !== null) waiting.push(own)
      } catch (error) {
        giveBack(waiting ?? [parts])
        throw error
      }
    }
    if (waiting !== null) return shareAfter(waiting)
    return isLimited ? new Share(parts) : null
  }

  #scopeOf(
    { applicationId, mode }: Pick<SharedScope, 'applicationId' | 'mode'>,
    { tag, team }: Pick<SharedScope, 'tag' | 'team'>,
  ): SharedLimitScope {
    const applications = this.#scopes[mode]
    let scopes = applications.get(applicationId)
    if (scopes === undefined) applications.set(applicationId, (scopes = newScopes()))
    const scopesOfKind = team === undefined ? scopes.byTag : scopes.byTeam
    const name = team?.id ?? tag ?? ''
    let scope = scopesOfKind.get(name)
    if (scope === undefined) {
      const of = { applicationId, mode, tag, ...(team && { team }) }
      scopesOfKind.set(name, (scope = new SharedLimitScope(of, this.#store, this.#clock)))
    }
    return scope
  }

  async close(): Promise<void> {
    const all = [...this.#scopes.live.values(), ...this.#scopes.test.values()]
    const scopes = all.flatMap(({ byTag, byTeam }) => [...byTag.values(), ...byTeam.values()])
    await Promise.allSettled(scopes.map((scope) => scope.giveBack()))
  }
}

interface Scopes {
  /** By the name of the tag. The application's own limits have the empty name. */
  readonly byTag: Map<string, SharedLimitScope>
  readonly byTeam: Map<string, SharedLimitScope>
}

function newScopes(): Scopes {
  return { byTag: new Map(), byTeam: new Map() }
}

/** Returns `rules` itself if all rules apply, to save an allocation. */
function applyingTo(alias: string, rules: readonly RateRule[]): readonly RateRule[] {
  for (const rule of rules) if (!appliesTo(rule, alias)) return rules.filter((one) => appliesTo(one, alias))
  return rules
}

class Share implements SharedShare {
  #parts: Part[]
  #isGrown = false

  constructor(parts: Part[]) {
    this.#parts = parts
  }

  limits(): readonly RateLimit[] {
    return this.#parts.map(limitOfPart)
  }

  holds({ bound, worstMicros }: HeldBound): void {
    this.#divide((measure) => neededAmount(measure, worstMicros, bound), false)
  }

  async grow(more: (measure: RateMeasure) => bigint, nowMs: number): Promise<readonly RateLimit[]> {
    const needs = { needs: more, needsAtLeast: () => 1n, nowMs }
    const limits: RateLimit[] = []
    this.#isGrown = true
    for (const [scope, own] of Map.groupBy(this.#parts, (part) => part.scope)) {
      const growing = new Set(own.map(({ slice }) => slice.rule).filter(({ measure }) => more(measure) > 0n))
      const now: Part[] = []
      const wait = scope.setAside([...growing], needs, now)
      // oxlint-disable-next-line no-await-in-loop -- needs no wait unless a slice is too small
      const parts = wait === null ? now : await wait
      this.#parts.push(...parts)
      limits.push(...parts.map(limitOfPart))
    }
    return limits
  }

  settled(used: RateAmounts): void {
    this.#divide((measure) => (measure === 'requests' ? null : (used[measure] ?? 0n)), true)
    this.#end()
  }

  released(): void {
    for (const part of this.#parts) if (part.slice.rule.measure !== 'requests') part.scope.change(part, 0n)
    this.#end()
  }

  refused(): void {
    for (const part of this.#parts) part.scope.change(part, 0n)
    this.#end()
  }

  /**
   * Changes how much the request has set aside from each slice. If the request took several parts from a slice, the
   * oldest part is filled first, up to its previous size.
   * @param amountFor returns the new amount for a measure, or null if the amount does not change
   * @param isAll whether the newest part receives what exceeds the previous parts; if false, the excess is not set
   *   aside
   */
  #divide(amountFor: (measure: RateMeasure) => bigint | null, isAll: boolean): void {
    // Only an extension of the hold takes a second part from a slice.
    if (this.#isGrown) {
      this.#divideAmongParts(amountFor, isAll)
      return
    }
    for (const part of this.#parts) {
      const { amount, scope, slice } = part
      const all = amountFor(slice.rule.measure)
      if (all !== null) scope.change(part, isAll || all < amount ? all : amount)
    }
  }

  #divideAmongParts(amountFor: (measure: RateMeasure) => bigint | null, isAll: boolean): void {
    const left = new Map<Slice, bigint>()
    for (const [at, part] of this.#parts.entries()) {
      const { amount, scope, slice } = part
      const all = left.get(slice) ?? amountFor(slice.rule.measure)
      if (all === null) continue
      const isLast = !this.#parts.slice(at + 1).some((other) => other.slice === slice)
      const own = (isAll && isLast) || all < amount ? all : amount
      left.set(slice, all - own)
      scope.change(part, own)
    }
  }

  #end(): void {
    for (const { amount, slice } of this.#parts) slice.held -= amount
    this.#parts = []
  }
}

/** Gives back the amounts of a request that is not admitted. Waits for exchanges that still set amounts aside. */
function giveBack(parts: readonly (Part[] | Promise<Part[]>)[]): void {
  for (const own of parts)
    if (own instanceof Promise)
      own.then(
        (later) => new Share(later).refused(),
        () => {},
      )
    else new Share(own).refused()
}

/** If one exchange fails, the amounts from the other exchanges are given back. */
async function shareAfter(waiting: readonly (Part[] | Promise<Part[]>)[]): Promise<Share> {
  const results = await Promise.allSettled(waiting.map(async (parts) => parts))
  const share = new Share(results.flatMap((result) => (result.status === 'fulfilled' ? result.value : [])))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed === undefined) return share
  share.refused()
  throw failed.reason
}
