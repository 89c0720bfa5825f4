import { useState, type ReactNode } from 'react'
import type { types } from '#sdk/portal.ts'
import { newIdempotencyKey } from '#sdk/request.ts'
import { isSavedBefore } from '#web/ui/failure.tsx'
import { FormBody, MoneyField, moneyFault, SelectField, TextField, useForm } from '#web/ui/form.tsx'
import { microsOfText, moneyText, typedDollars } from '#web/ui/money-text.ts'
import { outdateAll } from '#web/portal/response-cache.ts'
import { asked, client } from '#web/portal/end-user-session.ts'
import { Modal } from '#web/portal/ui/modal.tsx'
import { perText } from '#web/portal/time-and-count-text.ts'
import { NewSecret } from './new-secret-shown-once.tsx'

type Rules = types.PortalAccount['keys']

const periods = [
  ['day', 'Day'],
  ['week', 'Week'],
  ['month', 'Month'],
  ['total', 'In total'],
] as const
type Period = (typeof periods)[number][0]

/** Null if the cap has no maximum. */
function mostOf({ capMicros, leftForCapsMicros }: Rules): string | null {
  if (capMicros === null || leftForCapsMicros === null) return capMicros ?? leftForCapsMicros
  return BigInt(capMicros) < BigInt(leftForCapsMicros) ? capMicros : leftForCapsMicros
}

export function MintKey({
  onClose,
  rules,
}: {
  readonly rules: Rules
  readonly onClose: () => void
}): ReactNode {
  const [minted, setMinted] = useState<types.MintedKey | null>(null)
  if (minted !== null) return <NewSecret of={minted} onClose={onClose} />
  return <NewKey rules={rules} onClose={onClose} onMinted={setMinted} />
}

function NewKey({
  onClose,
  onMinted,
  rules,
}: {
  readonly rules: Rules
  readonly onClose: () => void
  readonly onMinted: (minted: types.MintedKey) => void
}): ReactNode {
  const { capPeriod, totalMicros } = rules
  // If the response is lost, another attempt must not create a second key.
  const [idempotencyKey, setIdempotencyKey] = useState(newIdempotencyKey)
  const widest = mostOf(rules)
  const form = useForm({
    draft: null,
    initial: {
      name: '',
      cap: widest === null ? '' : typedDollars(widest),
      period: widest === null ? 'month' : capPeriod,
      perMinute: '',
    },
    check: ({ cap, name, perMinute }) => {
      const isCapped = cap.trim() !== '' || widest !== null
      const micros = microsOfText(cap)
      const fault =
        isCapped && widest !== null && micros !== null && BigInt(micros) > BigInt(widest)
          ? `The maximum is ${moneyText(widest)}.`
          : isCapped
            ? moneyFault(cap, { least: 1n })
            : undefined
      return {
        ...(name.trim() === '' && { name: 'Enter a name, such as laptop or nightly job.' }),
        ...(fault !== undefined && { cap: fault }),
        ...(!/^\d{0,9}$/.test(perMinute.trim()) && { perMinute: 'Enter a whole number.' }),
      }
    },
    fieldOf: { capMicros: 'cap', capPeriod: 'period', limits: 'perMinute' },
    async send({ cap, name, perMinute, period }) {
      const capMicros = cap.trim() === '' ? null : microsOfText(cap)
      const minted = await asked(() =>
        client.portal.mintKey(
          {
            name: name.trim(),
            capMicros,
            capPeriod: period as Period,
            ...(perMinute.trim() !== '' && {
              limits: [{ measure: 'requests', window: 'minute', most: perMinute.trim() }],
            }),
          },
          { idempotencyKey },
        ),
      ).catch((error: unknown) => {
        if (isSavedBefore(error)) {
          setIdempotencyKey(newIdempotencyKey())
          outdateAll()
        }
        throw error
      })
      outdateAll()
      onMinted(minted)
    },
  })
  const { name } = form.values
  return (
    <Modal title="Create key" onClose={onClose}>
      <FormBody
        form={form}
        action={
          name.trim() === '' ? 'Create key' : <span className="truncate">Create key {name.trim()}</span>
        }
        onCancel={onClose}
        className="large-actions"
      >
        <TextField
          form={form}
          name="name"
          label="Name"
          help="Describe where you will use the key, such as laptop or nightly job."
          maxLength={128}
        />
        <div className="grid grid-cols-[2fr_1fr] gap-3">
          <MoneyField
            form={form}
            name="cap"
            label="Spending cap"
            isOptional={widest === null}
            help={
              widest === null
                ? 'Leave empty for no cap. The key can then spend all your credit.'
                : totalMicros === null
                  ? `Up to ${moneyText(widest)} ${perText(capPeriod)}.`
                  : `Up to ${moneyText(widest)}. All keys that you create here share ${moneyText(totalMicros)} ${perText(capPeriod)}.`
            }
          />
          <SelectField
            form={form}
            name="period"
            label="Per"
            options={widest === null ? periods : periods.filter(([period]) => period === capPeriod)}
          />
        </div>
        <TextField
          form={form}
          name="perMinute"
          label="Requests per minute"
          isOptional
          help="Leave empty for no limit."
          inputMode="numeric"
          className="figures max-w-48"
        />
      </FormBody>
    </Modal>
  )
}
