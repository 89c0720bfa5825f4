import type { CreditRequest, CreditResult } from '#domain/ledger-interface.ts'
import type { GrantTerms } from './state-types.ts'
import type { UnfinishedGrant } from './issue-grant.ts'

const partMax = 256

export function isLargeGrant(endUserIds: readonly string[]): boolean {
  return endUserIds.length > partMax
}

/**
 * Splits the end users of a grant into parts, in the order of the list. `done` is how many end users are credited once
 * the part is committed, or null for the last part.
 * @param groupOf the group of an end user; all end users of a part belong to one group
 */
export function* partsOfGrant(
  endUserIds: readonly string[],
  from: number,
  groupOf: (endUserId: string) => number = () => 0,
): Generator<{ readonly part: readonly string[]; readonly done: number | null }> {
  for (let at = from; at < endUserIds.length;) {
    const most = endUserIds.slice(at, at + partMax)
    const group = groupOf(most[0] ?? '')
    const other = most.findIndex((endUserId) => groupOf(endUserId) !== group)
    const part = other === -1 ? most : most.slice(0, other)
    at += part.length
    yield { part, done: at === endUserIds.length ? null : at }
  }
}

export async function creditInSteps(
  { endUserIds, ...terms }: CreditRequest,
  begin: (terms: GrantTerms, endUserIds: readonly string[]) => Promise<CreditResult | UnfinishedGrant>,
  ledger: {
    continueGrant(terms: GrantTerms, endUserIds: readonly string[], from: number): Promise<void>
  },
): Promise<CreditResult> {
  const begun = await begin(terms, [...new Set(endUserIds)])
  if (begun.kind !== 'unfinished') return begun
  const { createdAtMs: nowMs, grantId } = begun
  await ledger.continueGrant({ ...terms, grantId, nowMs }, begun.endUserIds, begun.done)
  const isReplay = grantId !== terms.grantId
  return { kind: 'credited', grantId, isReplay, endUsers: begun.endUserIds.length }
}
