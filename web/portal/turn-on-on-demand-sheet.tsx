import type { ReactNode } from 'react'
import type { types } from '#sdk/portal.ts'
import { FormBody, MoneyField, moneyFault, useForm } from '#web/ui/form.tsx'
import { microsOfText, moneyText, typedDollars } from '#web/ui/money-text.ts'
import { Modal } from './ui/modal.tsx'

/** Used if neither the end user nor the application has set a limit. */
const usualMicros = 20_000_000n

export default function OnDemandSheet({
  onClose,
  onDemand: { ceilingMicros, enabled, limitMicros },
  onTurnOn,
}: {
  readonly onDemand: types.PortalAccount['onDemand']
  readonly onClose: () => void
  /** Rejects with the server's error. */
  readonly onTurnOn: (limitMicros: string) => Promise<void>
}): ReactNode {
  const form = useForm({
    draft: null,
    initial: { limit: typedDollars(limitMicros ?? ceilingMicros ?? usualMicros) },
    check: ({ limit }) => {
      const micros = microsOfText(limit)
      const fault =
        micros !== null && ceilingMicros !== null && BigInt(micros) > BigInt(ceilingMicros)
          ? `The maximum is ${moneyText(ceilingMicros)}.`
          : moneyFault(limit, { least: 10_000n })
      return fault === undefined ? {} : { limit: fault }
    },
    fieldOf: { limitMicros: 'limit' },
    send: ({ limit }) => onTurnOn(microsOfText(limit) ?? '0'),
  })
  const micros = microsOfText(form.values.limit)
  const amount = micros === null ? '…' : moneyText(micros).replace(/\.00$/, '')
  return (
    <Modal title={enabled ? 'Change monthly limit' : 'Turn on on-demand billing'} onClose={onClose}>
      <ol className="mb-5 flex flex-col gap-2 text-ink-2">
        <li>When your plan credit and balance are used up, requests continue at the same prices.</li>
        <li>
          On-demand usage never exceeds the monthly limit below. Each month starts on the 1st at 00:00 UTC.
        </li>
        <li>
          On-demand billing starts with your next request. You pay only for usage beyond your plan and
          balance.
        </li>
      </ol>
      <FormBody
        form={form}
        action={enabled ? `Set limit to ${amount} a month` : `Turn on, up to ${amount} a month`}
        busyAction="Saving"
        onCancel={onClose}
        className="large-actions"
      >
        <MoneyField form={form} name="limit" label="Monthly limit" per="per month" />
      </FormBody>
    </Modal>
  )
}
