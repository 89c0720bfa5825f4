/** The session is a cookie that scripts cannot read, so a page knows only what the server returns. */
import { useSyncExternalStore } from 'react'
import { ApiError } from '#sdk/errors.ts'
import { TollgatePortal } from '#sdk/portal.ts'
import { whenReleased } from '#web/ui/hold-page.ts'

export type Session =
  | { readonly state: 'opening' }
  | { readonly state: 'open' }
  | { readonly state: 'absent' }
  /** The session has expired, or another device has ended it. */
  | { readonly state: 'ended' }
  | { readonly state: 'signed_out' }
  /** The sign-in link was used, has expired, or belongs to another portal. */
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
  await asked(() => client.portal.signOut())
  become({ state: 'signed_out' })
}

/** If the session has ended, a message replaces every page, but not while a new secret is shown. */
export async function asked<Answer>(call: () => PromiseLike<Answer>): Promise<Answer> {
  try {
    return await call()
  } catch (error) {
    if (isCode(error, 'portal_session_required'))
      whenReleased(() => {
        if (session.state === 'open') become({ state: 'ended' })
      })
    throw error
  }
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof ApiError && error.code === code
}
