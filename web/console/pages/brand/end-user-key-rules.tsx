import { useState, type ReactNode } from 'react'
import type { PortalConfigureInput } from '#sdk/generated/portal.ts'
import type { PortalSettings } from '#sdk/generated/types.ts'
import { CheckField, FormBody, MoneyField, moneyFault, SelectField, useForm } from '#web/ui/form.tsx'
import { microsOfText, typedDollars } from '#web/ui/money-text.ts'
import { toast } from '#web/ui/toast.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { resetPeriods } from '../../reset-period-options.ts'
import { ChangedMeanwhile, type Revised } from '../../forms-with-revision.tsx'

type Period = 'day' | 'week' | 'month' | 'total'

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
    draft: 'key rules',
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
      toast(values.mayMint ? 'End users can create keys' : "End users can't create keys")
      await onSaved()
    },
  })
  return (
    <FormBody form={form} action="Save permissions" isDisabled={!may || !form.isChanged}>
      <CheckField
        form={form}
        name="mayMint"
        label="End users can create their own keys"
        help="End users can then also rotate and revoke keys that you created for them. If this box isn't selected, only your team can create keys."
      />
      <div className="grid gap-4 phone:grid-cols-2">
        <MoneyField
          form={form}
          name="total"
          label="Spend limit for all keys an end user creates"
          help="All keys that an end user creates share this limit, including revoked keys. Leave empty for no limit."
          isOptional
        />
        <MoneyField
          form={form}
          name="cap"
          label="Highest spend cap of a key"
          help="The highest cap that an end user can set on a new key. Leave empty to allow any cap, and keys without a cap. Existing keys aren't changed."
          isOptional
        />
        <SelectField form={form} name="period" label="The limit and the caps reset" options={resetPeriods} />
      </div>
      <ChangedMeanwhile
        failure={form.failure}
        onReload={() => {
          form.reset()
          void onSaved()
        }}
      />
      <div>
        <CopyAs operation="portal.configure" input={inputOf(form.values)} />
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
