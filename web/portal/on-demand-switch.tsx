/** The switch changes only after the server has confirmed the change. */
import { lazy, Suspense, useId, useState, type ReactNode } from 'react'
import type { types } from '#sdk/portal.ts'
import { FailureNote } from '#web/ui/failure.tsx'
import { moneyText } from '#web/ui/money-text.ts'
import { Money } from '#web/ui/formatted-values.tsx'
import { readAccount } from './account-and-plan-hooks.ts'
import { keep, outdateAll } from './response-cache.ts'
import { asked, client } from './end-user-session.ts'
import { Switch } from './ui/switch.tsx'
import { toast } from './ui/toast.tsx'

const Sheet = lazy(() => import('./turn-on-on-demand-sheet.tsx'))

type Account = types.PortalAccount
interface Setting {
  readonly enabled: boolean
  readonly limitMicros: string | null
}

/**
 * Changes the setting and shows the server's result.
 * @param ceilingMicros the application's ceiling, which an end user cannot remove; `limitMicros: null` then keeps the
 *   limit
 */
async function setOnDemand({ enabled, limitMicros }: Setting, ceilingMicros: string | null): Promise<void> {
  const isKept = limitMicros === null && ceilingMicros !== null
  const change = isKept ? { enabled } : { enabled, limitMicros }
  const subscription = await asked(() => client.portal.onDemand(change))
  // The setting is changed, even if the account can't be loaded. The page then reports that it may be out of date.
  const account = await asked(readAccount).catch(() => null)
  outdateAll()
  keep('subscription', subscription)
  if (account) keep('account', account)
}

export function OnDemand({
  account: { onDemand },
  subscription,
}: {
  readonly account: Account
  readonly subscription: types.Subscription | null
}): ReactNode {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const before: Setting = { enabled: onDemand.enabled, limitMicros: onDemand.limitMicros }

  const change = async (to: Setting, words: string, undo: Setting | null): Promise<void> => {
    setBusy(true)
    setFailure(null)
    try {
      await setOnDemand(to, onDemand.ceilingMicros)
      toast(
        words,
        undo && (() => void change(undo, 'Undone. Your previous on-demand setting is restored.', null)),
      )
    } catch (error) {
      setFailure(error)
      // Another page may be open by now.
      if (undo === null) toast("The change couldn't be undone.", () => void change(to, words, null))
    } finally {
      setBusy(false)
    }
  }
  const turnOff = (): void =>
    void change(
      { ...before, enabled: false },
      'On-demand billing is off. Requests in progress will finish.',
      before,
    )

  return (
    <div>
      <div className="flex min-h-14 items-center gap-4">
        <div className="min-w-0 flex-1">
          <h2 id={`${id}-name`} className="font-semibold">
            On-demand billing
          </h2>
          <p id={`${id}-about`} className="text-14 text-ink-2">
            <OnDemandWords onDemand={onDemand} hasPlan={subscription !== null} />
          </p>
          {onDemand.owedMicros !== '0' && (
            <p className="text-14 text-ink-2">
              <Money micros={onDemand.owedMicros} /> from earlier months is unpaid. Each month is billed on an
              invoice.
            </p>
          )}
        </div>
        {subscription !== null && (
          <Switch
            isOn={onDemand.enabled}
            isBusy={isBusy}
            labelledBy={`${id}-name`}
            describedBy={`${id}-about`}
            onPress={() => (onDemand.enabled ? turnOff() : setOpen(true))}
          />
        )}
      </div>
      {onDemand.enabled && (
        <button
          type="button"
          className="brand-text -mx-2 h-12 rounded px-2 text-14 underline"
          onClick={() => setOpen(true)}
        >
          Change monthly limit
        </button>
      )}
      <p role="status" className="sr-only">
        {isBusy ? 'Saving' : ''}
      </p>
      {failure !== null && <FailureNote title="The on-demand setting couldn't be changed." error={failure} />}
      {isOpen && (
        <Suspense>
          <Sheet
            onDemand={onDemand}
            onClose={() => setOpen(false)}
            onTurnOn={async (limitMicros) => {
              setBusy(true)
              try {
                await setOnDemand({ enabled: true, limitMicros }, onDemand.ceilingMicros)
                setFailure(null)
                setOpen(false)
                const words = `On-demand billing is on, up to ${moneyText(limitMicros)} a month.`
                toast(
                  words,
                  () => void change(before, 'Undone. Your previous on-demand setting is restored.', null),
                )
              } finally {
                setBusy(false)
              }
            }}
          />
        </Suspense>
      )}
    </div>
  )
}

function OnDemandWords({
  hasPlan,
  onDemand: { enabled, limitMicros, spentMicros },
}: {
  readonly onDemand: Account['onDemand']
  readonly hasPlan: boolean
}): ReactNode {
  if (!hasPlan) return 'Off. On-demand billing requires a plan.'
  const spent = BigInt(spentMicros) > 0n && (
    <>
      {' '}
      <Money micros={spentMicros} /> used this month.
    </>
  )
  if (!enabled) return <>Off. Requests are rejected when your plan credit and balance are used up.{spent}</>
  return (
    <>
      On,{' '}
      {limitMicros === null ? (
        'without a monthly limit.'
      ) : (
        <>
          up to <Money micros={limitMicros} /> a month.
        </>
      )}{' '}
      <Money micros={spentMicros} /> used this month.
    </>
  )
}
