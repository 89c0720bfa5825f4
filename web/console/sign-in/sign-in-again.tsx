/** The page keeps typed text, and sends the change again after the sign-in. */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useSyncExternalStore, type ReactNode } from 'react'
import { AuthenticationError } from '#sdk/errors.ts'
import type { SignedIn } from '#sdk/generated/types.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { FormBody, TextField, useForm } from '#web/ui/form.tsx'
import { Dialog } from '#web/ui/dialog-sheet-and-menu.tsx'
import { api, setCsrfToken } from '../api-client.ts'
import { beginSession, sessionQuery } from './member-session.ts'

/** All changes that failed because the session has ended wait for this sign-in. Null if none is open. */
let open: { readonly ended: Promise<boolean>; readonly end: (isSignedIn: boolean) => void } | null = null
const listeners = new Set<() => void>()

function tell(): void {
  for (const listener of listeners) listener()
}

export async function signInAgain(): Promise<boolean> {
  if (open === null) {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    open = {
      ended: promise,
      end(isSignedIn) {
        open = null
        tell()
        resolve(isSignedIn)
      },
    }
    tell()
  }
  return open.ended
}

/** If the session has ended, sends the change again after the sign-in. */
export async function inSession<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof AuthenticationError) || !(await signInAgain())) throw error
    return send()
  }
}

/**
 * Whether leaving the page could lose typed text or a secret that is shown once. A sign-in, a form in a dialog, or a
 * changed form may be open.
 */
export function isFormOpen(): boolean {
  return open !== null || document.querySelector('[role="dialog"] form, [data-firm], [data-changed]') !== null
}

export function SignInAgain(): ReactNode {
  const isOpen = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => open !== null,
  )
  return isOpen && <Again onEnd={(isSignedIn) => open?.end(isSignedIn)} />
}

function Again({ onEnd }: { readonly onEnd: (isSignedIn: boolean) => void }): ReactNode {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const before = queries.getQueryData(sessionQuery.queryKey)
  const enter = async (session: SignedIn): Promise<void> => {
    if (before && before.member.email !== session.member.email) {
      // Another member must not see this member's page.
      beginSession(queries, session)
      onEnd(false)
      await navigate({ to: '/' })
      return
    }
    setCsrfToken(session.csrfToken)
    queries.setQueryData(sessionQuery.queryKey, session)
    onEnd(true)
    // Reload data that failed to load while the session had ended.
    await queries.invalidateQueries({ predicate: ({ state }) => state.status === 'error' })
  }
  const form = useForm({
    draft: null,
    initial: { email: before?.member.email ?? '', password: '' },
    check: ({ email, password }) => ({
      ...(!email.includes('@') && { email: 'Enter the email address of your account.' }),
      ...(password === '' && { password: 'Enter your password.' }),
    }),
    send: async (values) => enter(await api.sessions.create(values)),
  })
  const other = useForm({
    draft: null,
    initial: {},
    send: async () => enter(await api.sessions.current()),
  })
  return (
    <Dialog
      isOpen
      isFirm
      isAbove
      onClose={() => onEnd(false)}
      title="Your session has ended"
      about="Sign in again to continue. Your changes are kept and are sent after you sign in."
    >
      <FormBody form={form} action="Sign in" busyAction="Signing in" onCancel={() => onEnd(false)}>
        <TextField form={form} name="email" label="Email address" type="email" autoComplete="username" />
        <TextField
          form={form}
          name="password"
          label="Password"
          type="password"
          autoComplete="current-password"
          data-first-focus
        />
      </FormBody>
      <div className="mt-6 border-t border-line pt-4">
        <FormBody form={other} kind="plain" action="I've signed in in another tab">
          <p className="text-13 text-ink-2">
            To sign in with another method:{' '}
            <a className={buttonClass('quiet', 'small')} href="/sign-in" target="_blank" rel="noreferrer">
              Sign in in a new tab
            </a>
          </p>
        </FormBody>
      </div>
    </Dialog>
  )
}
