import type { ReactNode } from 'react'
import type { ApiKeySummary } from '#sdk/generated/types.ts'
import { FormBody, MoneyField, moneyFault, SelectField, useForm } from '#web/ui/form.tsx'
import { microsOfText, moneyText, typedDollars } from '#web/ui/money-text.ts'
import { toast } from '#web/ui/toast.tsx'
import { useChange } from '../operations/use-operation.ts'
import { CopyAs } from '../copy-as-code.tsx'
import { resetPeriods } from '../reset-period-options.ts'
import { periodWords } from '../prices/dollars-or-credits-text.ts'
import { capPreview } from './key-cap-preview.ts'

export function CapForm({
  of: key,
  onClose,
}: {
  readonly of: ApiKeySummary
  readonly onClose: () => void
}): ReactNode {
  const change = useChange('keys.cap')
  const form = useForm({
    draft: null,
    initial: {
      cap: key.capMicros === null ? '' : typedDollars(key.capMicros),
      capPeriod: String(key.capPeriod),
    },
    check: ({ cap }) => {
      const fault = cap.trim() === '' ? undefined : moneyFault(cap)
      return fault === undefined ? {} : { cap: fault }
    },
    fieldOf: { capMicros: 'cap' },
    async send(values) {
      const { capMicros, capPeriod } = await change.mutateAsync(inputOf(key.id, values))
      toast(
        capMicros === null
          ? 'Removed the cap'
          : `Set the cap to ${moneyText(capMicros)} ${periodWords(capPeriod)}`,
      )
      onClose()
    },
  })
  const { capMicros } = inputOf(key.id, form.values)
  return (
    <FormBody
      form={form}
      className="mt-4 border-t border-line pt-4"
      action={
        capMicros === null
          ? 'Remove cap'
          : `Set cap to ${moneyText(capMicros)} ${periodWords(form.values.capPeriod)}`
      }
      busyAction="Setting"
      onCancel={onClose}
    >
      <div className="grid gap-4 phone:grid-cols-2">
        <MoneyField
          form={form}
          name="cap"
          label="Cap"
          help="Maximum spend per period. Leave empty for no cap."
        />
        <SelectField form={form} name="capPeriod" label="Resets" options={resetPeriods} />
      </div>
      <p aria-live="polite" className="text-14 text-ink-2">
        {capPreview(key, capMicros, form.values.capPeriod)}
      </p>
      <div>
        <CopyAs operation="keys.cap" input={inputOf(key.id, form.values)} />
      </div>
    </FormBody>
  )
}

function inputOf(id: string, { cap, capPeriod }: { readonly cap: string; readonly capPeriod: string }) {
  return {
    id,
    capMicros: cap.trim() === '' ? null : (microsOfText(cap) ?? '0'),
    capPeriod: capPeriod as 'month',
  }
}
