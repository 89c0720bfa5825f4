import { useState, type ReactNode } from 'react'
import type { PortalConfigureInput } from '#sdk/generated/portal.ts'
import type { PortalSettings } from '#sdk/generated/types.ts'
import { CheckField, FormBody, MoneyField, moneyFault, SelectField, useForm } from '#web/ui/form.tsx'
import { microsOfText, typedDollars } from '#web/ui/money-text.ts'
import { toast } from '#web/ui/toast.tsx'
import { useChange } from '../../calls.ts'
import { CopyAs } from '../../copy-as.tsx'
import { ChangedMeanwhile, type Revised } from '../../revised.tsx'

type Period = 'day' | 'week' | 'month' | 'total'

const periods: readonly (readonly [Period, string])[] = [
  ['day', 'a day'],
  ['week', 'a week'],
  ['month', 'a month'],
  ['total', 'in all'],
]

export function PortalRules({
  may,
  onSaved,
  revised,
}: {
  readonly revised: Revised<PortalSettings>
  readonly may: boolean
  readonly onSaved: () => Promise<void>
}): ReactNode {
  const [{ ifMatch, value: stored }] = useState(revised)
  const configure = useChange('portal.configure')
  const form = useForm({
    draft: null,
    initial: {
      mayMint: stored.endUsersMayMintKeys,
      cap: stored.keyCapMicros === null ? '' : typedDollars(stored.keyCapMicros),
      period: String(stored.keyCapPeriod),
    },
    fieldOf: { keyCapMicros: 'cap', keyCapPeriod: 'period' },
    check: ({ cap }) => {
      const fault = cap.trim() === '' ? undefined : moneyFault(cap)
      return fault === undefined ? {} : { cap: fault }
    },
    async send(values) {
      await configure.mutateAsync({ ...inputOf(values), ...ifMatch })
      toast(values.mayMint ? 'People may mint keys.' : 'People do not mint keys.')
      await onSaved()
    },
  })
  return (
    <FormBody form={form} action="Save what they may do" isDisabled={!may || !form.isChanged}>
      <CheckField
        form={form}
        name="mayMint"
        label="People may mint keys of their own"
        help="They then also revoke keys that you minted for them. Without it, your program mints all keys."
      />
      <div className="grid gap-4 phone:grid-cols-2">
        <MoneyField
          form={form}
          name="cap"
          label="Widest cap of such a key"
          help="Empty: any cap, or none. Keys that are there keep theirs."
          isOptional
        />
        <SelectField form={form} name="period" label="The cap is for so much" options={periods} />
      </div>
      <ChangedMeanwhile failure={form.failure} onReload={() => void onSaved()} />
      <div>
        <CopyAs operation="portal.configure" input={inputOf(form.values) as Record<string, unknown>} />
      </div>
    </FormBody>
  )
}

function inputOf({
  cap,
  mayMint,
  period,
}: {
  mayMint: boolean
  cap: string
  period: string
}): PortalConfigureInput {
  return {
    endUsersMayMintKeys: mayMint,
    keyCapMicros: cap.trim() === '' ? null : microsOfText(cap),
    keyCapPeriod: period as Period,
  }
}
