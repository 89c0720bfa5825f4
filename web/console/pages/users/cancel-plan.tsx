import type { ReactNode } from 'react'
import type { EndUser, Subscription } from '#sdk/generated/types.ts'
import { FormBody, SelectField, useForm } from '#web/ui/form.tsx'
import { Dialog } from '#web/ui/overlays.tsx'
import { toast } from '#web/ui/toast.tsx'
import { When } from '#web/ui/values.tsx'
import { useChange } from '../../calls.ts'
import { CopyAs } from '../../copy-as.tsx'

/** Cancels a plan, at the end of the invoiced time or now, and states what is kept. */
export function CancelPlan({
  onClose,
  plan,
  user,
}: {
  readonly user: EndUser
  readonly plan: Subscription
  readonly onClose: () => void
}): ReactNode {
  const cancel = useChange('subscription.cancel', { touches: ['users', 'invoices'] })
  const form = useForm({
    draft: null,
    initial: { when: 'end' },
    async send(values) {
      const { endsAt } = await cancel.mutateAsync(inputOf(user, values.when))
      toast(endsAt === null || values.when === 'now' ? 'The plan has ended.' : 'The plan is cancelled.')
      onClose()
    },
  })
  const isNow = form.values.when === 'now'
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={
        <>
          Cancel <bdi>{plan.planName}</bdi> of <bdi>{user.externalId}</bdi>
        </>
      }
    >
      <FormBody
        form={form}
        kind="danger"
        action={isNow ? 'End the plan now' : 'Cancel the plan'}
        busyAction="Cancelling"
        onCancel={onClose}
      >
        <SelectField
          form={form}
          name="when"
          label="When it ends"
          options={[
            ['end', 'At the end of what was invoiced'],
            ['now', 'Now'],
          ]}
        />
        <div className="flex flex-col gap-2 text-14 text-ink-2">
          {isNow ? (
            <p>
              Their keys call nothing from the next call on. Invoices that are not due yet are void; nothing
              that was paid is given back. This cannot be taken back, but they can be put on the plan again.
            </p>
          ) : (
            <p>
              Everything stays until then, and ends <When at={plan.periodEnd} /> at the latest where nothing
              was invoiced. Then their keys call nothing. Until then the cancellation can be taken back.
            </p>
          )}
          <p>Wallet and ledger stay.</p>
        </div>
        <div>
          <CopyAs operation="subscription.cancel" input={inputOf(user, form.values.when)} />
        </div>
      </FormBody>
    </Dialog>
  )
}

function inputOf({ externalId }: EndUser, when: string) {
  return { externalId, atPeriodEnd: when !== 'now' }
}
