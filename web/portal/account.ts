import type { types } from '#sdk/portal.ts'
import { useAnswer, type Answer } from './answers.ts'
import { client, isCode } from './session.ts'

export interface Account extends types.PortalAccount {
  /** How far the time of the application is ahead of the real one, as its test clock was moved; 0 with live data. */
  readonly aheadMs: number
}

/** The account of who is signed in; it is shown whatever may be spent. */
export function useAccount(): Answer<Account> {
  return useAnswer('account', readAccount)
}

export async function readAccount(): Promise<Account> {
  const account = await client.portal.account()
  const aheadMs = account.livemode ? 0 : Date.parse(account.pace.to) - Date.now()
  // What is less than a minute is two clocks that differ, and the time on the way.
  return { ...account, aheadMs: aheadMs < 60_000 ? 0 : aheadMs }
}

/** The plan of who is signed in, and what is left of it; null: none. */
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
