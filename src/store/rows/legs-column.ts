import assert from 'node:assert/strict'
import type { Leg } from '#money/decision-types.ts'
import { bigintOf, listOf, textOf } from './json-columns.ts'

/**
 * Returns the legs of a hold or a charge (the amount in each source) as JSON. The sixth field, only in legs of a
 * payer's wallet, is the part that is paid from granted credit.
 */
export function legsToText(legs: readonly Leg[]): string {
  let text = '['
  for (const { sourceId, kind, unit, amount, micros, givenMicros } of legs) {
    if (text.length > 1) text += ','
    const given = givenMicros === undefined ? '' : `,"${givenMicros}"`
    text += `[${JSON.stringify(sourceId)},"${kind}","${unit}","${amount}","${micros}"${given}]`
  }
  return `${text}]`
}

export function legsFromText(text: string): Leg[] {
  return listOf(text, 'legs').map((item) => {
    assert(Array.isArray(item) && (item.length === 5 || item.length === 6), 'a leg has 5 or 6 fields')
    const [sourceId, kind, unit, amount, micros, given]: unknown[] = item
    assert(isSourceKind(kind), 'a leg is of a kind of source')
    assert(unit === 'micros' || unit === 'credits', 'a leg has a unit')
    return {
      sourceId: textOf(sourceId),
      kind,
      unit,
      amount: bigintOf(amount),
      micros: bigintOf(micros),
      ...(given !== undefined && { givenMicros: bigintOf(given) }),
    }
  })
}

function isSourceKind(kind: unknown): kind is Leg['kind'] {
  return (
    kind === 'wallet' || kind === 'pool' || kind === 'team_pool' || kind === 'team' || kind === 'on_demand'
  )
}
