import type { types } from '#sdk/portal.ts'
import { useAnswer, type Answer } from './response-cache.ts'
import { client, isCode } from './end-user-session.ts'

export interface Account extends types.PortalAccount {
  /** Offset of the server's time, in test mode of the test clock, from the browser's clock. */
  readonly aheadMs: number
}

export function useAccount(): Answer<Account> {
  return useAnswer('account', readAccount)
}

export async function readAccount(): Promise<Account> {
  const account = await client.portal.account()
  const aheadMs = Date.parse(account.pace.to) - Date.now()
  // Less than a minute comes from clock drift and network latency.
  return { ...account, aheadMs: Math.abs(aheadMs) < 60_000 ? 0 : aheadMs }
}

/** Null if the end user has no plan. */
export function useSubscription(): Answer<types.Subscription | null> {
  return useAnswer('subscription', readSubscription)
}

async function readSubscription(): Promise<types.Subscription | null> {
  try {
    return await client.portal.subscription()
  } catch (error) {
    if (isCode(error, 'not_found')) return null
    throw error
  }
}
