import { useState, type ReactNode } from 'react'
import type { Member } from '#sdk/generated/types.ts'
import { Switch } from '#web/ui/tabs-segments-and-switch.tsx'
import { Confirm } from '#web/ui/confirm-dialog.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Section } from '#web/ui/page-head-and-sections.tsx'
import { toast } from '#web/ui/toast.tsx'
import { call, useAnswer, useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { useMay } from '../../sign-in/member-session.ts'

const label = 'Require a passkey in addition to the password'

export function PasskeyPolicy(): ReactNode {
  const { data, error, refetch } = useAnswer('sessions.policy', {})
  const set = useChange('sessions.setPolicy')
  const [isAsked, setAsked] = useState(false)
  const isOwner = useMay('owner')
  const isRequired = data?.passkeyRequired === true
  const turn = async (passkeyRequired: boolean): Promise<void> => {
    await set.mutateAsync({ passkeyRequired })
    toast(
      passkeyRequired
        ? 'Signing in with a password now also requires a passkey.'
        : 'Members without a passkey can now sign in with only a password.',
    )
  }
  return (
    <Section
      title="Sign-in"
      about="Members with a passkey always need the passkey in addition to their password. Sign-ins with the identity provider are not affected."
      action={<CopyAs operation="sessions.policy" />}
    >
      {error && !data ? (
        <FailureNote
          error={error}
          title="The sign-in policy couldn't be loaded."
          onRetry={() => void refetch()}
        />
      ) : (
        <span className="flex items-start gap-3">
          {isOwner && data && (
            <Switch
              label={label}
              isOn={isRequired}
              isBusy={set.isPending}
              onChange={(on) => (on ? setAsked(true) : void turn(false).catch(() => {}))}
            />
          )}
          <span>
            {isOwner && data && (
              <span aria-hidden className="block text-14 font-medium">
                {label}
              </span>
            )}
            <span className="block text-13 text-ink-2">
              {isRequired
                ? 'Members who sign in with a password also need a passkey.'
                : 'Members without a passkey can sign in with only a password.'}
              {!isOwner && ' Changing this policy requires the owner role.'}
            </span>
          </span>
        </span>
      )}
      {set.error && <FailureNote error={set.error} />}
      <Confirm
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={`${label}?`}
        action="Require passkeys"
        onConfirm={() => turn(true)}
      >
        <p>
          Members without a passkey register one the next time they sign in with a password. Open sessions
          continue.
        </p>
      </Confirm>
    </Section>
  )
}

export function RemovePasskeys({
  member: { email },
  onClose,
}: {
  readonly member: Member
  readonly onClose: () => void
}): ReactNode {
  const remove = useChange('passkeys.rm')
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={
        <>
          Remove the passkeys of <bdi>{email}</bdi>?
        </>
      }
      action="Remove passkeys"
      onConfirm={async () => {
        const { data } = await call('passkeys.list', { email })
        await Promise.all(data.map(({ id }) => remove.mutateAsync({ id })))
        toast(`Removed ${data.length} ${data.length === 1 ? 'passkey' : 'passkeys'} of ${email}.`)
      }}
    >
      <p>
        Remove the passkeys of a member who has lost them. First verify that the member has asked you to do
        so. The member then signs in with the password, and registers a new passkey if the organization
        requires one.
      </p>
    </Confirm>
  )
}
