import type { ReactNode } from 'react'
import type { EndUser } from '#sdk/generated/types.ts'
import { useForm } from '#web/ui/form.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useChange } from '../../calls/calls.ts'
import { FormDialog } from '../../form-dialog.tsx'
import {
  draftsFault,
  draftsOf,
  limitsOfDrafts,
  newDraft,
  type LimitDraft,
} from '../../limits/limit-drafts.ts'
import { LimitRows } from '../../limits/limit-rows.tsx'

/** Sets the limits of an end user over all keys and plans. */
export function LimitsDialog({
  onClose,
  user,
}: {
  readonly user: EndUser
  readonly onClose: () => void
}): ReactNode {
  const change = useChange('users.limit')
  const first = user.limits.length === 0 ? [newDraft] : draftsOf(user.limits)
  const form = useForm({
    draft: null,
    initial: { limits: JSON.stringify(first) },
    check(values) {
      const fault = draftsFault(draftsIn(values))
      return fault === undefined ? {} : { limits: fault }
    },
    async send(values) {
      const { limits } = await change.mutateAsync(inputOf(user, values))
      toast(limits.length === 0 ? 'Limits removed.' : 'Limits saved.')
      onClose()
    },
  })
  return (
    <FormDialog
      onClose={onClose}
      title={
        <>
          Limits of <bdi>{user.externalId}</bdi>
        </>
      }
      about="Limits of this end user over all keys and plans, in this mode. They apply to new requests. Windows end at full minutes, hours or days in UTC, and weeks start on Monday. The 5-hour window is rolling."
      form={form}
      action="Save limits"
      busyAction="Saving"
      operation="users.limit"
      input={inputOf(user, form.values)}
    >
      <LimitRows
        drafts={draftsIn(form.values)}
        fault={form.faults.limits}
        onChange={(next) => form.set('limits', JSON.stringify(next))}
      />
      <p className="text-13 text-ink-3">
        Models are patterns such as <code>acme/*</code>, separated by commas. Spend per day, week, month or in
        total for all models includes earlier spend. All other limits count from now.
      </p>
    </FormDialog>
  )
}

interface Values {
  readonly limits: string
}

function draftsIn({ limits }: Values): readonly LimitDraft[] {
  return JSON.parse(limits) as LimitDraft[]
}

function inputOf({ externalId }: EndUser, values: Values) {
  return { externalId, limits: limitsOfDrafts(draftsIn(values)) }
}
