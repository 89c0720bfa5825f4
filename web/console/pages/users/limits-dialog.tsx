import type { ReactNode } from 'react'
import type { EndUser } from '#sdk/generated/types.ts'
import { FormBody, MoneyField, moneyFault, useForm } from '#web/ui/form.tsx'
import { microsOfText, typedDollars } from '#web/ui/money-text.ts'
import { Dialog } from '#web/ui/overlays.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useChange } from '../../calls/calls.ts'
import { CopyAs } from '../../copy-as.tsx'

const windows = ['day', 'week', 'month', 'total'] as const
type Draft = Record<(typeof windows)[number], string>

const labels: Draft = {
  day: 'Limit per day',
  week: 'Limit per week',
  month: 'Limit per month',
  total: 'Total limit',
}

/** Spend limits of an end user over all keys and plans, one per window. */
export function LimitsDialog({
  onClose,
  user,
}: {
  readonly user: EndUser
  readonly onClose: () => void
}): ReactNode {
  const change = useChange('users.limit')
  const initial: Draft = { day: '', week: '', month: '', total: '' }
  for (const window of windows) {
    const limit = user.limits.find((each) => isSpend(each) && each.window === window)
    if (limit) initial[window] = typedDollars(limit.most)
  }
  const form = useForm({
    draft: null,
    initial,
    check: (draft) => {
      const faults: Partial<Draft> = {}
      for (const window of windows) {
        const fault = draft[window].trim() === '' ? undefined : moneyFault(draft[window])
        if (fault !== undefined) faults[window] = fault
      }
      return faults
    },
    fieldOf: { limits: 'day' },
    async send(draft) {
      const { limits } = await change.mutateAsync(inputOf(user, draft))
      toast(limits.length === 0 ? 'Limits removed.' : 'Limits saved.')
      onClose()
    },
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={
        <>
          Limits of <bdi>{user.externalId}</bdi>
        </>
      }
      about="Maximum spend of this end user over all keys and plans, in this mode. Spend in the current window counts. Windows end at midnight UTC, and weeks start on Monday."
    >
      <FormBody form={form} action="Save limits" busyAction="Saving" onCancel={onClose}>
        <div className="grid gap-4 phone:grid-cols-2">
          {windows.map((window) => (
            <MoneyField
              key={window}
              form={form}
              name={window}
              label={labels[window]}
              help="Leave empty for no limit."
              isOptional
            />
          ))}
        </div>
        <div>
          <CopyAs operation="users.limit" input={inputOf(user, form.values)} />
        </div>
      </FormBody>
    </Dialog>
  )
}

/** The operation replaces all limits, so limits that this form does not show are sent unchanged. */
function inputOf({ externalId, limits }: EndUser, draft: Draft) {
  const spend = windows.flatMap((window) => {
    const most = draft[window].trim() === '' ? null : microsOfText(draft[window])
    return most === null ? [] : [{ measure: 'micros' as const, window, most }]
  })
  return { externalId, limits: [...spend, ...limits.filter((limit) => !isSpend(limit))] }
}

function isSpend({ measure, models, window }: EndUser['limits'][number]): boolean {
  return measure === 'micros' && models === undefined && windows.some((each) => each === window)
}
