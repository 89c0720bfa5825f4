/** Who is signed in. The session is a cookie that no script can read: a page knows of it what the server answers. */
import { useSyncExternalStore } from 'react'
import { ApiError } from '#sdk/errors.ts'
import { TollgatePortal } from '#sdk/portal.ts'

export type Session =
  | { readonly state: 'opening' }
  | { readonly state: 'open' }
  /** Nobody is signed in here. */
  | { readonly state: 'absent' }
  /** Somebody was, until it ended: by time, or at another place. */
  | { readonly state: 'ended' }
  | { readonly state: 'signed_out' }
  /** The link is spent, too old, or of another portal. */
  | { readonly state: 'link_refused' }
  | { readonly state: 'failed'; readonly error: unknown }

export const client = new TollgatePortal()

let session: Session = { state: 'opening' }
const listeners = new Set<() => void>()

export function become(next: Session): void {
  session = next
  for (const listener of listeners) listener()
}

export function useSession(): Session {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => session,
  )
}

export async function signOut(): Promise<void> {
  await client.portal.signOut()
  become({ state: 'signed_out' })
}

/** Runs a call of the API; that the session has ended is said once, in place of every page. */
export async function asked<Answer>(call: () => PromiseLike<Answer>): Promise<Answer> {
  try {
    return await call()
  } catch (error) {
    if (session.state === 'open' && isCode(error, 'portal_session_required')) become({ state: 'ended' })
    throw error
  }
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof ApiError && error.code === code
}
