/**
 * A wallet stores the total of granted credit, not an amount per grant. Grants are spent in the order of their age, so
 * the remaining granted credit belongs to the newest grants.
 */
import { assertMoney, minOf } from './amount.ts'

export interface GrantOfPerson {
  readonly amountMicros: bigint
  readonly reversedMicros: bigint
  /** Sum of all later grants, minus their reversed amounts. */
  readonly laterMicros: bigint
  /** Remaining granted credit in the wallet. */
  readonly givenMicros: bigint
  /** Wallet balance minus the amounts held for requests in flight. May be negative. */
  readonly freeMicros: bigint
}

/** Returns the amount of the grant, in micros, that a reversal can take back now. */
export function unspentOfGrant(grant: GrantOfPerson): bigint {
  const { amountMicros, freeMicros, givenMicros, laterMicros, reversedMicros } = grant
  assertMoney(givenMicros >= 0n && laterMicros >= 0n, 'unspentOfGrant: no gift is negative')
  assertMoney(reversedMicros >= 0n, 'unspentOfGrant: a reversal takes back')
  assertMoney(reversedMicros <= amountMicros, 'unspentOfGrant: no more is reversed than was granted')
  const left = minOf(givenMicros - laterMicros, amountMicros - reversedMicros)
  const unspent = minOf(left, freeMicros)
  return unspent > 0n ? unspent : 0n
}
