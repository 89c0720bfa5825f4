import type { types } from '#sdk/portal.ts'
import { useAnswer, type Answer } from './answers.ts'
import { client, isCode } from './session.ts'

/** The account of who is signed in; it is shown whatever may be spent. */
export function useAccount(): Answer<types.PortalAccount> {
  return useAnswer('account', () => client.portal.account())
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
