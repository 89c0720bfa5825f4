import type { IncludeTerms } from '#money/plan-pools.ts'
import { type Refused, refused } from '#operations/kernel/returned-error.ts'

/** @param at prefix of the field names, such as `includes.0.` */
export function includeFault(
  {
    memberCap,
    recurring,
    rollover,
    unit,
  }: Pick<IncludeTerms, 'memberCap' | 'recurring' | 'rollover' | 'unit'>,
  at = '',
): Refused<'invalid_request'> | null {
  if (rollover !== null && !recurring) {
    const reason = 'rollover applies to recurring includes. Set recurring to true, or rollover to null.'
    return refused('invalid_request', { reason }, `${at}rollover`)
  }
  if (memberCap !== null && unit !== 'micros') {
    const reason =
      'memberCap applies to includes in micros, because bundles have different prices in credits. Set unit to micros, or memberCap to null.'
    return refused('invalid_request', { reason }, `${at}memberCap`)
  }
  return null
}
