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
  ['day', 'day'],
  ['week', 'week'],
  ['month', 'month'],
  ['total', 'never'],
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
      total: stored.keyCapsTotalMicros === null ? '' : typedDollars(stored.keyCapsTotalMicros),
      period: String(stored.keyCapPeriod),
    },
    fieldOf: { keyCapMicros: 'cap', keyCapPeriod: 'period', keyCapsTotalMicros: 'total' },
    check: ({ cap, total }) => {
      const faults = {
        cap: cap.trim() === '' ? undefined : moneyFault(cap),
        total: total.trim() === '' ? undefined : moneyFault(total),
      }
      return {
        ...(faults.cap !== undefined && { cap: faults.cap }),
        ...(faults.total !== undefined && { total: faults.total }),
      }
    },
    async send(values) {
      await configure.mutateAsync({ ...inputOf(values), ...ifMatch })
      toast(values.mayMint ? 'End users may create keys.' : 'End users may not create keys.')
      await onSaved()
    },
  })
  return (
    <FormBody form={form} action="Save what they may do" isDisabled={!may || !form.isChanged}>
      <CheckField
        form={form}
        name="mayMint"
        label="End users may create keys of their own"
        help="They may then also rotate and revoke keys that you created for them. Otherwise your program creates all keys."
      />
      <div className="grid gap-4 phone:grid-cols-2">
        <MoneyField
          form={form}
          name="total"
          label="Total for all keys one end user creates"
          help="Together they spend no more than this, revoked keys included. Empty: no total, so they can spend all the end user has."
          isOptional
        />
        <MoneyField
          form={form}
          name="cap"
          label="Maximum cap of one key"
          help="This is a cap of a key, not of a person. Empty: any cap, or none. Existing keys keep theirs."
          isOptional
        />
        <SelectField form={form} name="period" label="Total and cap reset every" options={periods} />
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
  total,
}: {
  mayMint: boolean
  cap: string
  total: string
  period: string
}): PortalConfigureInput {
  return {
    endUsersMayMintKeys: mayMint,
    keyCapMicros: cap.trim() === '' ? null : microsOfText(cap),
    keyCapPeriod: period as Period,
    keyCapsTotalMicros: total.trim() === '' ? null : microsOfText(total),
  }
}
