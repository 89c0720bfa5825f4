import { useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import type { EndUser } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { Confirm } from '#web/ui/confirm-dialog.tsx'
import { Field, inputClass } from '#web/ui/form.tsx'
import { MoreIcon } from '#web/ui/icons.tsx'
import { Menu } from '#web/ui/dialog-sheet-and-menu.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Money } from '#web/ui/formatted-values.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { AdjustDialog, TopUpDialog } from '../../credit/balance-dialogs.tsx'
import { GrantDialog } from '../../credit/grant-dialog.tsx'
import { MintKey } from '../../keys/create-key-form.tsx'
import { useSearchText } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { UserLimitsDialog } from './end-user-limits-dialog.tsx'
import { PortalDialog } from './portal-link-dialog.tsx'

/** The URL states which form is open. */
export function UserActions({ user }: { readonly user: EndUser }): ReactNode {
  const mayChange = useMay('developer')
  const mayAdjust = useMay('admin')
  const [act, setAct] = useSearchText('act')
  const close = (): void => setAct(null)
  if (!mayChange) {
    return <p className="text-13 text-ink-3">Changing end users requires the developer role.</p>
  }
  return (
    <>
      <Button kind="primary" onClick={() => setAct('grant')}>
        Grant credit
      </Button>
      <Button onClick={() => setAct('mint')}>Create key</Button>
      <Button onClick={() => setAct(user.frozen ? 'unfreeze' : 'freeze')}>
        {user.frozen ? 'Unfreeze' : 'Freeze'}
      </Button>
      <Menu
        trigger={
          <Button aria-label="More actions" title="More actions">
            <MoreIcon />
          </Button>
        }
        entries={[
          { words: 'Set limits', onSelect: () => setAct('limits') },
          { words: 'Open portal', onSelect: () => setAct('portal') },
          { words: 'Top up', onSelect: () => setAct('top-up') },
          ...(mayAdjust ? [{ words: 'Adjust balance', onSelect: () => setAct('adjust') }] : []),
          null,
          { words: 'Remove', isDanger: true, onSelect: () => setAct('remove') },
        ]}
      />
      {act === 'grant' && <GrantDialog user={user} onClose={close} />}
      {act === 'top-up' && <TopUpDialog user={user} onClose={close} />}
      {act === 'adjust' && mayAdjust && <AdjustDialog user={user} onClose={close} />}
      {act === 'mint' && <MintKey endUserId={user.externalId} onClose={close} />}
      {act === 'limits' && <UserLimitsDialog user={user} onClose={close} />}
      {act === 'portal' && <PortalDialog user={user} onClose={close} />}
      <Freezing user={user} act={act} onClose={close} />
      <Removal user={user} isAsked={act === 'remove'} onClose={close} />
    </>
  )
}

interface Asked {
  readonly user: EndUser
  readonly isAsked: boolean
  readonly onClose: () => void
}

function Freezing({
  act,
  onClose,
  user,
}: Omit<Asked, 'isAsked'> & { readonly act: string | null }): ReactNode {
  const { externalId } = user
  const freeze = useChange('users.freeze')
  const unfreeze = useChange('users.unfreeze')
  const isAsked = act === 'freeze' || act === 'unfreeze'
  // Keep the content while the dialog closes.
  const [asked, setAsked] = useState(act)
  if (isAsked && asked !== act) setAsked(act)
  const wasFrozen = asked === 'unfreeze'
  const [reason, setReason] = useState('')
  const given = reason.trim() === '' ? {} : { reason: reason.trim() }
  const name = <bdi>{externalId}</bdi>
  return (
    <Confirm
      isOpen={isAsked}
      onClose={onClose}
      title={wasFrozen ? <>Unfreeze {name}?</> : <>Freeze {name}?</>}
      action={wasFrozen ? <>Unfreeze {name}</> : <>Freeze {name}</>}
      onConfirm={async () => {
        if (wasFrozen) await unfreeze.mutateAsync({ externalId })
        else await freeze.mutateAsync({ externalId, ...given })
        setReason('')
        toast(wasFrozen ? `Unfroze ${externalId}.` : `Froze ${externalId}.`)
      }}
    >
      {wasFrozen ? (
        <p>The end user's keys will work again immediately, in both modes.</p>
      ) : (
        <>
          <p>New requests of the end user will be rejected immediately, in both modes.</p>
          <p>
            Requests in progress will finish and will be charged. Keys, balance and plan are kept. You can
            unfreeze the end user at any time.
          </p>
          <Field label="Reason" isOptional help="Shown only to your team, never to the end user.">
            {(control) => (
              <input
                {...control}
                className={inputClass}
                maxLength={256}
                value={reason}
                onChange={(event) => setReason(event.target.value)}
              />
            )}
          </Field>
        </>
      )}
      <div>
        <CopyAs
          operation={wasFrozen ? 'users.unfreeze' : 'users.freeze'}
          input={{ externalId, ...(!wasFrozen && given) }}
        />
      </div>
    </Confirm>
  )
}

function Removal({ isAsked, onClose, user }: Asked): ReactNode {
  const remove = useChange('users.rm')
  const navigate = useNavigate()
  const { balance, externalId } = user
  return (
    <Confirm
      isOpen={isAsked}
      onClose={onClose}
      title={
        <>
          Remove <bdi>{externalId}</bdi>?
        </>
      }
      action={
        <>
          Remove <bdi>{externalId}</bdi>
        </>
      }
      name={externalId}
      onConfirm={async () => {
        const { id, keysRevoked } = await remove.mutateAsync({ externalId })
        toast(
          `Removed the end user and ${keysRevoked} ${keysRevoked === 1 ? 'key' : 'keys'}. The ledger is kept under the Tollgate ID ${id}.`,
        )
        await navigate({ to: '/users' })
      }}
    >
      <p>
        The end user's keys stop working immediately in both modes. Pool credit that no request holds is
        removed. Your ID for the end user, the email address and the key names are deleted. This can't be
        undone.
      </p>
      <p>
        The ledger, usage and requests are kept under the Tollgate ID <code>{user.id}</code>. The wallet
        balance of <Money micros={balance.balanceUnits} /> remains on the ledger but can't be spent. You
        decide whether to pay the balance back.
      </p>
      <div>
        <CopyAs operation="users.rm" input={{ externalId }} />
      </div>
    </Confirm>
  )
}
