import { useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import type { EndUser } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { Confirm } from '#web/ui/confirm.tsx'
import { Field, inputClass } from '#web/ui/form.tsx'
import { MoreIcon } from '#web/ui/icons.tsx'
import { Menu } from '#web/ui/overlays.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Money } from '#web/ui/values.tsx'
import { useChange } from '../../calls.ts'
import { CopyAs } from '../../copy-as.tsx'
import { AdjustDialog, TopUpDialog } from '../../credit/balance-dialogs.tsx'
import { GrantDialog } from '../../credit/grant-dialog.tsx'
import { MintKey } from '../../keys/mint-key.tsx'
import { useSearchText } from '../../search.ts'
import { useMay } from '../../session.ts'
import { LimitsDialog } from './limits-dialog.tsx'
import { PortalDialog } from './portal-dialog.tsx'

/** What can be done to a person. Which form is open stands in the address. */
export function UserActions({ user }: { readonly user: EndUser }): ReactNode {
  const mayChange = useMay('developer')
  const mayAdjust = useMay('admin')
  const [act, setAct] = useSearchText('act')
  const close = (): void => setAct(null)
  if (!mayChange) {
    return <p className="text-13 text-ink-3">You may look here; a developer of the team makes changes.</p>
  }
  return (
    <>
      <Button kind="primary" onClick={() => setAct('grant')}>
        Grant credit
      </Button>
      <Button onClick={() => setAct('mint')}>Mint a key</Button>
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
          { words: 'Open their portal', onSelect: () => setAct('portal') },
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
      {act === 'limits' && <LimitsDialog user={user} onClose={close} />}
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
      title={wasFrozen ? <>Let {name} spend again?</> : <>Freeze {name}?</>}
      action={wasFrozen ? <>Unfreeze {name}</> : <>Freeze {name}</>}
      onConfirm={async () => {
        if (wasFrozen) await unfreeze.mutateAsync({ externalId })
        else await freeze.mutateAsync({ externalId, ...given })
        setReason('')
        toast(
          wasFrozen ? `${externalId} may spend again.` : `${externalId} is frozen, from the next call on.`,
        )
      }}
    >
      {wasFrozen ? (
        <p>From the next call on their keys work again, in both modes.</p>
      ) : (
        <>
          <p>From the next call on every call of theirs is refused, in both modes.</p>
          <p>
            Calls that are running end and are charged. Keys, balance and plan stay, and you can let them
            spend again at any time.
          </p>
          <Field label="Reason" isOptional help="For your team. The end user never sees it.">
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
  const remove = useChange('users.rm', { touches: ['keys', 'apps', 'invoices'] })
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
        toast(`They are removed, with ${keysRevoked} keys. Their ledger stays under ${id}.`)
        await navigate({ to: '/users' })
      }}
    >
      <p>
        Their keys end in both modes from the next call on, what is free is taken off their pools, and id,
        e-mail and names of keys are forgotten. This cannot be undone.
      </p>
      <p>
        Ledger, usage and requests stay under <code>{user.id}</code>. The{' '}
        <Money micros={balance.balanceUnits} /> in their wallet stays on the ledger, where nobody can spend
        it: whether you pay it back is up to you.
      </p>
      <div>
        <CopyAs operation="users.rm" input={{ externalId }} />
      </div>
    </Confirm>
  )
}
