/** Whether a password needs a passkey, and help for a member who has lost theirs. */
import { useState, type ReactNode } from 'react'
import type { Member } from '#sdk/generated/types.ts'
import { Switch } from '#web/ui/choices.tsx'
import { Confirm } from '#web/ui/confirm.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Section } from '#web/ui/layout.tsx'
import { toast } from '#web/ui/toast.tsx'
import { call, useAnswer, useChange } from '../../calls.ts'
import { CopyAs } from '../../copy-as.tsx'
import { useMay } from '../../session.ts'

export function PasskeyPolicy(): ReactNode {
  const { data, error, refetch } = useAnswer('sessions.policy', {})
  const set = useChange('sessions.setPolicy')
  const [isAsked, setAsked] = useState(false)
  const isOwner = useMay('owner')
  const isRequired = data?.passkeyRequired === true
  const turn = async (passkeyRequired: boolean): Promise<void> => {
    await set.mutateAsync({ passkeyRequired })
    toast(passkeyRequired ? 'Passwords need a passkey from now on.' : 'Passwords no longer need a passkey.')
  }
  return (
    <Section
      title="Sign-in"
      about="Members with a passkey always need it with their password. Sign-ins by the identity provider are not affected."
      action={<CopyAs operation="sessions.policy" />}
    >
      {error && !data ? (
        <FailureNote error={error} title="The policy cannot be shown." onRetry={() => void refetch()} />
      ) : (
        <span className="flex items-center gap-2">
          {isOwner && data && (
            <Switch
              label="Require a passkey with passwords"
              isOn={isRequired}
              isBusy={set.isPending}
              onChange={(on) => (on ? setAsked(true) : void turn(false).catch(() => {}))}
            />
          )}
          <span className="text-14">
            {isRequired ? 'Passwords need a passkey' : 'Passwords need no passkey'}
          </span>
          {!isOwner && <span className="text-13 text-ink-3">Changing it requires the owner role.</span>}
        </span>
      )}
      {set.error && <FailureNote error={set.error} />}
      <Confirm
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title="Require a passkey with passwords?"
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
      action="Remove the passkeys"
      onConfirm={async () => {
        const { data } = await call('passkeys.list', { email })
        await Promise.all(data.map(({ id }) => remove.mutateAsync({ id })))
        toast(`${data.length} ${data.length === 1 ? 'passkey' : 'passkeys'} of ${email} removed.`)
      }}
    >
      <p>
        Do this if they have lost their passkeys. They then sign in with their password, and register a new
        passkey if the organization requires one. Make sure that they are the one who asks for it.
      </p>
    </Confirm>
  )
}
