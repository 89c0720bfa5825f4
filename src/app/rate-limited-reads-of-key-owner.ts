import type { Holder, HolderReads } from '#domain/balance-and-usage-for-key-owner.ts'
import type { Nouns, Store } from '#domain/store-interface.ts'
import { type Rate, RateLimiter, readMsPerCall } from '#http/control-plane-rate-limiter.ts'
import { holderBalance } from '#operations/keys/shared/balance-of-key-owner.ts'
import { holderUsage } from '#operations/keys/shared/month-usage-of-key-owner.ts'

/**
 * Like reads of the portal, these reads count toward the end user's share of the database
 * (docs/decisions/2026-11-23-reads-in-shares.md).
 * @param rate the rate limit of each end user, which equals the limit of one control plane credential; null means no
 *   limit
 */
export function holderReads(
  store: Pick<Store, 'readFor'>,
  rate: Rate | null,
  monotonicMs: () => number,
): HolderReads {
  const limiter = rate && new RateLimiter(rate, monotonicMs)
  const readsOf = ({ key: { endUserId }, organizationId }: Holder): Nouns => {
    limiter?.take(endUserId)
    let paidMs = readMsPerCall
    return store.readFor({
      organizationId,
      callerId: endUserId,
      isEndUser: true,
      onCost(ms) {
        const dueMs = Math.max(0, ms - paidMs)
        paidMs = Math.max(0, paidMs - ms)
        if (dueMs > 0) limiter?.charge(endUserId, dueMs / readMsPerCall)
      },
    })
  }
  return {
    balance: (holder, model) => holderBalance(holder, model, readsOf(holder)),
    usage: (holder) => holderUsage(holder, readsOf(holder)),
  }
}
