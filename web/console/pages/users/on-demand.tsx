import { useState, type ReactNode } from 'react'
import type { EndUser, Subscription } from '#sdk/generated/types.ts'
import { Meter } from '#web/ui/charts/meter.tsx'
import { Switch } from '#web/ui/choices.tsx'
import { FormBody, MoneyField, moneyFault, useForm } from '#web/ui/form.tsx'
import { Section } from '#web/ui/layout.tsx'
import { microsOfText, moneyText, typedDollars } from '#web/ui/money-text.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/overlays.tsx'
import { Note } from '#web/ui/state.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Money, When } from '#web/ui/values.tsx'
import { useChange } from '../../calls.ts'
import { CopyAs } from '../../copy-as.tsx'
import { useMay } from '../../session.ts'

interface Of {
  readonly user: EndUser
  readonly plan: Subscription
}

/** Whether an end user can use on-demand billing, and its limit. */
export function OnDemand({ plan, user }: Of): ReactNode {
  const mayChange = useMay('developer')
  const [asked, setAsked] = useState<'on' | 'off' | null>(null)
  const {
    onDemandBlockedSince,
    onDemandEnabled,
    onDemandLimitMicros,
    onDemandOwedMicros,
    onDemandSpentMicros,
  } = plan
  return (
    <Section
      title="On-demand"
      about="Once pools and wallet are spent, calls go on, and what they cost is owed."
      action={
        <div className="flex items-center gap-3 text-14">
          {onDemandEnabled && mayChange && (
            <Button size="small" onClick={() => setAsked('on')}>
              Change the ceiling
            </Button>
          )}
          <span>{onDemandEnabled ? 'On' : 'Off'}</span>
          {mayChange && (
            <Switch
              label="On-demand"
              isOn={onDemandEnabled}
              onChange={(isOn) => setAsked(isOn ? 'on' : 'off')}
            />
          )}
        </div>
      }
    >
      {onDemandBlockedSince !== null && (
        <div className="mb-3">
          <Note
            tone="negative"
            title={onDemandEnabled ? 'It pays for nothing new.' : 'It would pay for nothing new.'}
          >
            <p className="text-ink-2">
              An invoice is past due since <When at={onDemandBlockedSince} />. Once it is paid, on-demand is
              back from the next call on.
            </p>
          </Note>
        </div>
      )}
      {(onDemandEnabled || onDemandSpentMicros !== '0') && (
        <div className="max-w-prose">
          <Meter
            label="This month (UTC)"
            used={BigInt(onDemandSpentMicros)}
            held={0n}
            limit={onDemandLimitMicros === null ? null : BigInt(onDemandLimitMicros)}
            format={moneyText}
          />
        </div>
      )}
      {onDemandOwedMicros !== '0' && (
        <p className="mt-3 text-14">
          <Money micros={onDemandOwedMicros} /> from earlier months is unpaid. Each month becomes a line of
          the next invoice, or an invoice of its own.
        </p>
      )}
      {asked === 'on' && <TurnOn plan={plan} user={user} onClose={() => setAsked(null)} />}
      {asked === 'off' && <TurnOff plan={plan} user={user} onClose={() => setAsked(null)} />}
    </Section>
  )
}

function TurnOn({ onClose, plan, user }: Of & { readonly onClose: () => void }): ReactNode {
  const change = useChange('subscription.onDemand', { touches: ['users'] })
  const form = useForm({
    draft: null,
    initial: {
      ceiling: plan.onDemandLimitMicros === null ? '' : typedDollars(plan.onDemandLimitMicros),
    },
    check: ({ ceiling }) => {
      const fault = ceiling.trim() === '' ? undefined : moneyFault(ceiling)
      return fault === undefined ? {} : { ceiling: fault }
    },
    fieldOf: { limitMicros: 'ceiling' },
    async send(values) {
      await change.mutateAsync(inputOf(user, values.ceiling))
      toast('On-demand is on, from the next call on.')
      onClose()
    },
  })
  const { limitMicros } = inputOf(user, form.values.ceiling)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={plan.onDemandEnabled ? 'Change the ceiling of on-demand' : 'Turn on-demand on'}
      about="Once pools and wallet are spent, calls go on up to the ceiling; what they cost is owed. The person cannot set a higher ceiling in their portal."
    >
      <FormBody
        form={form}
        action={
          limitMicros === null
            ? 'Turn on without a ceiling'
            : `Turn on, up to ${moneyText(limitMicros)} a month`
        }
        busyAction="Turning on"
        onCancel={onClose}
      >
        <MoneyField
          form={form}
          name="ceiling"
          label="Ceiling a month"
          help="Empty: none, so only the limit of the plan and caps of keys bound them."
        />
        {limitMicros !== null && BigInt(limitMicros) <= BigInt(plan.onDemandSpentMicros) && (
          <p className="text-14 text-held">
            {moneyText(plan.onDemandSpentMicros)} has been used this month, so it pays for nothing until the
            next.
          </p>
        )}
        <div>
          <CopyAs operation="subscription.onDemand" input={inputOf(user, form.values.ceiling)} />
        </div>
      </FormBody>
    </Dialog>
  )
}

function TurnOff({ onClose, plan, user }: Of & { readonly onClose: () => void }): ReactNode {
  const change = useChange('subscription.onDemand', { touches: ['users'] })
  const input = { endUserId: user.externalId, enabled: false }
  const form = useForm({
    draft: null,
    initial: {},
    async send() {
      await change.mutateAsync(input)
      toast('On-demand is off, from the next call on.', {
        words: 'Undo',
        run: () =>
          void change.mutateAsync({
            endUserId: user.externalId,
            enabled: true,
            limitMicros: plan.onDemandLimitMicros,
          }),
      })
      onClose()
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title="Turn on-demand off">
      <FormBody form={form} action="Turn off" busyAction="Turning off" onCancel={onClose}>
        <p className="text-14 text-ink-2">
          From the next call on only pools and wallet pay. Calls that are running end and are charged.
          On-demand usage of this month, {moneyText(plan.onDemandSpentMicros)}, is still invoiced.
        </p>
        <div>
          <CopyAs operation="subscription.onDemand" input={input} />
        </div>
      </FormBody>
    </Dialog>
  )
}

function inputOf({ externalId }: EndUser, ceiling: string) {
  return {
    endUserId: externalId,
    enabled: true,
    limitMicros: ceiling.trim() === '' ? null : (microsOfText(ceiling) ?? '0'),
  }
}
