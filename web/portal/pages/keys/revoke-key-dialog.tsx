/** The end user must type the name of a key that may be in use. */
import { useState, type ReactNode } from 'react'
import type { types } from '#sdk/portal.ts'
import { Button } from '#web/ui/button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Field, inputClass } from '#web/ui/form.tsx'
import { useHold } from '#web/ui/hold-page.ts'
import { useNow } from '#web/ui/current-time-hooks.ts'
import { When } from '#web/ui/formatted-values.tsx'
import { isTypedName } from '#web/ui/is-typed-name.ts'
import { outdateAll } from '#web/portal/response-cache.ts'
import { asked, client } from '#web/portal/end-user-session.ts'
import { Modal } from '#web/portal/ui/modal.tsx'
import { toast } from '#web/portal/ui/toast.tsx'
import { isInUse } from './is-key-in-use.ts'

export function RevokeKey({
  of: key,
  onClose,
}: {
  readonly of: types.PortalKey
  readonly onClose: () => void
}): ReactNode {
  const nowMs = useNow(30_000)
  const [typed, setTyped] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  useHold(isBusy)
  const isAsked = isInUse(key.lastUsedAt, nowMs)
  const revoke = async (): Promise<void> => {
    setBusy(true)
    setFailure(null)
    try {
      await asked(() => client.portal.revokeKey({ id: key.id }))
      outdateAll()
      toast(`The key ${key.name} was revoked.`)
      onClose()
    } catch (error) {
      setFailure(error)
      setBusy(false)
    }
  }
  return (
    <Modal
      title={
        <>
          Revoke key <bdi>{key.name}</bdi>
        </>
      }
      onClose={onClose}
    >
      <form
        noValidate
        aria-busy={isBusy || undefined}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void revoke()
        }}
      >
        <p className="text-ink-2">
          New requests with this key will fail immediately. Requests in progress will finish, and receipts are
          kept. If this key replaced an older key that still works, the older key is revoked too. This can't
          be undone.
        </p>
        {isAsked && (
          <>
            <p>
              This key was used <When at={key.lastUsedAt} />, so a program may depend on it.
            </p>
            <Field
              label={
                <>
                  Type <bdi className="wrap-anywhere">{key.name}</bdi> to confirm
                </>
              }
            >
              {(control) => (
                <input
                  {...control}
                  className={inputClass}
                  value={typed}
                  autoComplete="off"
                  autoCapitalize="off"
                  spellCheck={false}
                  onChange={(event) => setTyped(event.target.value)}
                />
              )}
            </Field>
          </>
        )}
        {failure !== null && <FailureNote title="The key couldn't be revoked." error={failure} />}
        <div className="flex flex-wrap gap-2">
          <Button
            type="submit"
            kind="danger"
            size="large"
            isBusy={isBusy}
            disabled={isAsked && !isTypedName(typed, key.name)}
            className="max-w-full"
          >
            <span className="truncate">
              Revoke <bdi>{key.name}</bdi>
            </span>
          </Button>
          <Button size="large" kind="quiet" disabled={isBusy} onClick={onClose}>
            Keep key
          </Button>
        </div>
      </form>
    </Modal>
  )
}
