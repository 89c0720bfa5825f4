import type { BundleRecord } from '#domain/billing/bundle-record.ts'
import { matchesAny, matchesPattern } from '#money/model-name-pattern.ts'
import type { Price } from '#money/price.ts'

export interface SellableName {
  readonly name: string
  /** @param own the bundle's own price of the name; null means that the bundle sells at cost */
  isServed(own: Price | null): boolean
}

type Patterns = Pick<BundleRecord, 'allow' | 'deny'>

/**
 * Collects the names that bundles serve. Thousands of bundles and names have millions of pairs, so most pairs are not
 * tested: An exact name is looked up. A pattern is matched against the names that no earlier bundle serves. If the bundle
 * then serves no name, the pattern is matched against all names, up to the first served name.
 */
export class Sales {
  readonly #names: ReadonlyMap<string, SellableName>
  readonly #unsold: Map<string, SellableName>
  readonly sold = new Set<string>()

  constructor(names: readonly SellableName[]) {
    this.#names = new Map(names.map((one) => [one.name, one]))
    this.#unsold = new Map(this.#names)
  }

  /** Returns whether the bundle serves any name. */
  sells({ allow, deny }: Patterns, own: ReadonlyMap<string, Price | null>): boolean {
    let sellsAny = false
    const note = (one: SellableName): boolean => {
      const { name } = one
      if (matchesAny(deny, name) || !one.isServed(own.get(name) ?? null)) return false
      this.#unsold.delete(name)
      this.sold.add(name)
      sellsAny = true
      return true
    }
    for (const pattern of allow) {
      const exact = this.#names.get(pattern)
      if (exact !== undefined && !(sellsAny && this.sold.has(exact.name))) note(exact)
      if (!pattern.endsWith('*')) continue
      for (const one of this.#unsold.values()) if (matchesPattern(pattern, one.name)) note(one)
      if (!sellsAny) this.#names.values().some((one) => matchesPattern(pattern, one.name) && note(one))
    }
    return sellsAny
  }
}
