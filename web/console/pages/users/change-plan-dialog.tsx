import type { ReactNode } from 'react'
import type { EndUser, Subscription } from '#sdk/generated/types.ts'
import { SelectField, useForm } from '#web/ui/form.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useAllRows } from '../../load-all-rows.ts'
import { useChange } from '../../operations/use-operation.ts'
import { FormDialog } from '../../form-dialog.tsx'
import { previewOf, priceWords } from './preview-of-plan-change.ts'

export function ChangePlan({
  onClose,
  plan,
  user,
}: {
  readonly user: EndUser
  readonly plan: Subscription | undefined
  readonly onClose: () => void
}): ReactNode {
  const subscribe = useChange('users.subscribe')
  const bundles = useAllRows('bundles.list').data?.rows ?? []
  const form = useForm({
    draft: null,
    initial: { bundle: '' },
    check: ({ bundle }) => (bundle === '' ? { bundle: 'Choose a bundle.' } : {}),
    async send({ bundle }) {
      const { planName } = await subscribe.mutateAsync({ externalId: user.externalId, bundle })
      toast(`${user.externalId} is now on ${planName}.`)
      onClose()
    },
  })
  const wanted = bundles.find(({ slug }) => slug === form.values.bundle)
  return (
    <FormDialog
      onClose={onClose}
      title={
        plan ? (
          <>
            Change plan of <bdi>{user.externalId}</bdi>
          </>
        ) : (
          <>
            Put <bdi>{user.externalId}</bdi> on a plan
          </>
        )
      }
      about="The plan applies to new requests in both modes."
      form={form}
      action={wanted ? `Change plan to ${wanted.displayName}` : 'Change plan'}
      busyAction="Changing"
      operation="users.subscribe"
      input={{ externalId: user.externalId, bundle: form.values.bundle }}
    >
      <SelectField
        form={form}
        name="bundle"
        label="Bundle"
        options={[
          ['', 'Choose a bundle'],
          ...bundles.map((bundle) => [bundle.slug, `${bundle.displayName}: ${priceWords(bundle)}`] as const),
        ]}
      />
      {wanted && (
        <ul
          aria-live="polite"
          className="flex list-disc flex-col gap-1.5 pl-5 text-14 text-ink-2"
          data-preview
        >
          {previewOf(wanted, plan, user.bundle).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </FormDialog>
  )
}
