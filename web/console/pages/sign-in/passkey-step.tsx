import { useState, type ReactNode } from 'react'
import { ApiError } from '#sdk/errors.ts'
import type { SignedIn } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { makePasskey, answerWithPasskey } from '../../sign-in/use-browser-passkeys.ts'
import { api } from '../../api-client.ts'

interface Password {
  readonly email: string
  readonly password: string
}

type Enter = (session: SignedIn) => Promise<void>

export function PasskeyButton({ onEnter }: { readonly onEnter: Enter }): ReactNode {
  const act = useWork(async () => {
    const credential = await answerWithPasskey(await api.sessions.passkeyChallenge({}), 'required')
    await onEnter(await api.sessions.passkey({ credential }))
  })
  return (
    <>
      <Button kind="plain" isBusy={act.isBusy} onClick={act.run}>
        Sign in with a passkey
      </Button>
      {act.failure !== null && <FailureNote error={act.failure} />}
    </>
  )
}

/** The browser requires a click before the page may request a passkey. */
export function PasskeyStep({
  isNew,
  onBack,
  onEnter,
  password,
}: {
  readonly password: Password
  readonly isNew: boolean
  readonly onEnter: Enter
  readonly onBack: () => void
}): ReactNode {
  const act = useWork(async () => {
    const { email } = password
    const challenge = await api.sessions.passkeyChallenge({ email })
    const second = isNew
      ? { newPasskey: { name: 'First passkey', credential: await makePasskey(challenge, email) } }
      : { passkey: await answerWithPasskey(challenge, 'preferred') }
    await onEnter(await api.sessions.create({ ...password, ...second }))
  })
  return (
    <div className="flex flex-col items-start gap-4">
      <p className="text-14 text-ink-2">
        {isNew
          ? 'Your organization requires a passkey in addition to the password. Register this device, a phone or a security key now.'
          : 'Your password is correct. Confirm the sign-in with your passkey.'}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" isBusy={act.isBusy} onClick={act.run}>
          {isNew ? 'Register passkey' : 'Use passkey'}
        </Button>
        <Button kind="quiet" onClick={onBack}>
          Back
        </Button>
      </div>
      {act.failure !== null && <FailureNote error={act.failure} />}
      {!isNew && (
        <p className="text-13 text-ink-3">
          Lost your passkey? Ask an owner of the organization to remove the passkey. You can then sign in with
          your password.
        </p>
      )}
    </div>
  )
}

/** Null if the server does not ask for a passkey: the password was sufficient, or it was wrong. */
export function passkeyRequired(error: unknown): { readonly isNew: boolean } | null {
  if (!(error instanceof ApiError) || error.code !== 'passkey_required') return null
  return { isNew: error.details['register'] === true }
}

function useWork(work: () => Promise<void>): {
  readonly isBusy: boolean
  readonly failure: unknown
  readonly run: () => void
} {
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const run = async (): Promise<void> => {
    setBusy(true)
    setFailure(null)
    try {
      await work()
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, failure, run: () => void run() }
}
