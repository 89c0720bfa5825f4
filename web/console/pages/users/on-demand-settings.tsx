import { useState, type ReactNode } from 'react'
import type { EndUser, Subscription } from '#sdk/generated/types.ts'
import { Meter } from '#web/ui/charts/limit-meter.tsx'
import { Switch } from '#web/ui/tabs-segments-and-switch.tsx'
import { MoneyField, moneyFault, useForm } from '#web/ui/form.tsx'
import { Section } from '#web/ui/page-head-and-sections.tsx'
import { microsOfText, moneyText, typedDollars } from '#web/ui/money-text.ts'
import { Button } from '#web/ui/button.tsx'
import { Note } from '#web/ui/status-notes-and-placeholders.tsx'
import { sentenceOf } from '#web/ui/failure.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Money, When } from '#web/ui/formatted-values.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { FormDialog } from '../../form-dialog.tsx'
import { useMay } from '../../sign-in/member-session.ts'

interface Of {
  readonly user: EndUser
  readonly plan: Subscription
}

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
      title="On-demand billing"
      about="After pools and wallet are used up, requests continue and are invoiced."
      action={
        <div className="flex items-center gap-3 text-14">
          {onDemandEnabled && mayChange && (
            <Button size="small" onClick={() => setAsked('on')}>
              Change monthly limit
            </Button>
          )}
          <span>{onDemandEnabled ? 'On' : 'Off'}</span>
          {mayChange && (
            <Switch
              label="On-demand billing"
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
            title={
              onDemandEnabled
                ? 'On-demand billing is blocked'
                : 'On-demand billing stays blocked even if you turn it on'
            }
          >
            <p className="text-ink-2">
              An invoice has been past due since <When at={onDemandBlockedSince} isExact />. After the invoice
              is paid, new requests can use on-demand billing again.
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
          <Money micros={onDemandOwedMicros} /> from earlier months is unpaid. Each month is a line of the
          next invoice, or a separate invoice.
        </p>
      )}
      {asked === 'on' && <TurnOn plan={plan} user={user} onClose={() => setAsked(null)} />}
      {asked === 'off' && <TurnOff plan={plan} user={user} onClose={() => setAsked(null)} />}
    </Section>
  )
}

function TurnOn({ onClose, plan, user }: Of & { readonly onClose: () => void }): ReactNode {
  const change = useChange('subscription.onDemand')
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
      toast('On-demand billing is on.')
      onClose()
    },
  })
  const { limitMicros } = inputOf(user, form.values.ceiling)
  return (
    <FormDialog
      onClose={onClose}
      title={plan.onDemandEnabled ? 'Change monthly limit' : 'Turn on on-demand billing'}
      about="After pools and wallet are used up, requests continue up to the monthly limit and are invoiced. The end user can't set a higher limit in the portal."
      form={form}
      action={
        limitMicros === null ? 'Turn on without a limit' : `Turn on, up to ${moneyText(limitMicros)} a month`
      }
      busyAction="Turning on"
      operation="subscription.onDemand"
      input={inputOf(user, form.values.ceiling)}
    >
      <MoneyField
        form={form}
        name="ceiling"
        label="Monthly limit"
        help="Leave empty for no limit. The plan limit and key caps still apply."
      />
      {limitMicros !== null && BigInt(limitMicros) <= BigInt(plan.onDemandSpentMicros) && (
        <p className="text-14 text-held">
          {moneyText(plan.onDemandSpentMicros)} has been used this month, so on-demand billing is used up
          until next month.
        </p>
      )}
    </FormDialog>
  )
}

function TurnOff({ onClose, plan, user }: Of & { readonly onClose: () => void }): ReactNode {
  const change = useChange('subscription.onDemand')
  const input = { endUserId: user.externalId, enabled: false }
  const form = useForm({
    draft: null,
    initial: {},
    async send() {
      await change.mutateAsync(input)
      toast('On-demand billing is off.', {
        words: 'Undo',
        run: () =>
          void change
            // The limit is omitted, because a given limit would also become the maximum for the end user.
            .mutateAsync({ ...input, enabled: true })
            // The switch, which is still off, also shows that the change failed.
            .catch((error: unknown) =>
              toast(`On-demand billing couldn't be turned on. ${sentenceOf(error)}`),
            ),
      })
      onClose()
    },
  })
  return (
    <FormDialog
      onClose={onClose}
      title="Turn off on-demand billing"
      form={form}
      action="Turn off"
      busyAction="Turning off"
      operation="subscription.onDemand"
      input={input}
    >
      <p className="text-14 text-ink-2">
        New requests are paid only from pools and wallet. Requests in progress will finish and will be
        charged. On-demand usage of this month, {moneyText(plan.onDemandSpentMicros)}, is still invoiced.
      </p>
    </FormDialog>
  )
}

function inputOf({ externalId }: EndUser, ceiling: string) {
  return {
    endUserId: externalId,
    enabled: true,
    limitMicros: ceiling.trim() === '' ? null : (microsOfText(ceiling) ?? '0'),
  }
}
