import type { UsageWire } from '#money/dimension-facts.ts'
import type { Usage } from '#money/usage.ts'
import { countsByPath, wireCounts } from '#money/wire-counts.ts'

/**
 * Returns a request's units as its provider's wire counts them, to compare with the provider's own log. The provider's
 * own usage object is not stored, because it may contain any text. Null if the wire is unknown.
 */
export function providerUnits(usage: Usage, wire: string | null): Readonly<Record<string, number>> | null {
  return wire !== null && isUsageWire(wire) ? countsByPath(usage, wire) : null
}

function isUsageWire(wire: string): wire is UsageWire {
  return Object.hasOwn(wireCounts, wire)
}
