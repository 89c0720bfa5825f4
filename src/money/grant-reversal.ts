/**
 * Which part of a grant is unspent. A wallet keeps one amount of given credit and not one amount per grant: gifts
 * are spent oldest first, so the given credit that is left belongs to the newest gifts.
 */
import { assertMoney, minOf } from './amount.ts'

export interface GrantOfPerson {
  /** Credited to the end user by the grant. */
  readonly amountMicros: bigint
  /** Taken back by earlier reversals of the same grant. */
  readonly reversedMicros: bigint
  /** Gifts after the grant, less what was reversed of each of them. */
  readonly laterMicros: bigint
  /** Given credit in the wallet. */
  readonly givenMicros: bigint
  /** Balance of the wallet less what calls in flight hold; may be negative. */
  readonly freeMicros: bigint
}

/** What a reversal can take back of the grant now, in micros; 0n if nothing is unspent, or all of it is held. */
export function unspentOfGrant(grant: GrantOfPerson): bigint {
  const { amountMicros, freeMicros, givenMicros, laterMicros, reversedMicros } = grant
  assertMoney(givenMicros >= 0n && laterMicros >= 0n, 'unspentOfGrant: no gift is negative')
  assertMoney(reversedMicros >= 0n, 'unspentOfGrant: a reversal takes back')
  assertMoney(reversedMicros <= amountMicros, 'unspentOfGrant: no more is reversed than was granted')
  const left = minOf(givenMicros - laterMicros, amountMicros - reversedMicros)
  const unspent = minOf(left, freeMicros)
  return unspent > 0n ? unspent : 0n
}
