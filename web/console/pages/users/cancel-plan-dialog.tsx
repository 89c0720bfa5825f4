import type { ReactNode } from 'react'
import type { EndUser, Subscription } from '#sdk/generated/types.ts'
import { SelectField, useForm } from '#web/ui/form.tsx'
import { toast } from '#web/ui/toast.tsx'
import { When } from '#web/ui/formatted-values.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { FormDialog } from '../../form-dialog.tsx'

export function CancelPlan({
  onClose,
  plan,
  user,
}: {
  readonly user: EndUser
  readonly plan: Subscription
  readonly onClose: () => void
}): ReactNode {
  const cancel = useChange('subscription.cancel')
  const form = useForm({
    draft: null,
    initial: { when: 'end' },
    async send(values) {
      const { endsAt } = await cancel.mutateAsync(inputOf(user, values.when))
      toast(endsAt === null || values.when === 'now' ? 'The plan has ended.' : 'The plan was canceled.')
      onClose()
    },
  })
  const isNow = form.values.when === 'now'
  return (
    <FormDialog
      onClose={onClose}
      title={
        <>
          Cancel <bdi>{plan.planName}</bdi> of <bdi>{user.externalId}</bdi>
        </>
      }
      form={form}
      kind="danger"
      action={isNow ? 'End plan now' : 'Cancel plan'}
      busyAction="Canceling"
      operation="subscription.cancel"
      input={inputOf(user, form.values.when)}
    >
      <SelectField
        form={form}
        name="when"
        label="End of the plan"
        options={[
          ['end', 'At the end of the invoiced period'],
          ['now', 'Now'],
        ]}
      />
      <div className="flex flex-col gap-2 text-14 text-ink-2">
        {isNow ? (
          <p>
            New requests of the end user will be rejected immediately. Invoices that are not due yet are
            voided, and paid amounts are not refunded. You can't undo this, but you can put the end user on
            the plan again.
          </p>
        ) : (
          <p>
            The plan continues until the end of the invoiced period. If nothing was invoiced, the plan ends{' '}
            <When at={plan.periodEnd} /> at the latest. New requests are then rejected. You can undo the
            cancellation until the plan ends.
          </p>
        )}
        <p>The wallet balance and the ledger are kept.</p>
      </div>
    </FormDialog>
  )
}

function inputOf({ externalId }: EndUser, when: string) {
  return { externalId, atPeriodEnd: when !== 'now' }
}
