import type { ReactNode } from 'react'
import type { Bundle, EndUser, Subscription } from '#sdk/generated/types.ts'
import { FormBody, SelectField, useForm } from '#web/ui/form.tsx'
import { moneyText } from '#web/ui/money-text.ts'
import { Dialog } from '#web/ui/overlays.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useAnswer, useChange } from '../../calls.ts'
import { CopyAs } from '../../copy-as.tsx'
import { periodWords, unitsText } from '../../units-text.ts'

/** Puts a person on a plan, and says before what that changes. */
export function ChangePlan({
  onClose,
  plan,
  user,
}: {
  readonly user: EndUser
  readonly plan: Subscription | undefined
  readonly onClose: () => void
}): ReactNode {
  const subscribe = useChange('users.subscribe', { touches: ['subscription', 'invoices'] })
  const { data } = useAnswer('bundles.list', { limit: 200 })
  const bundles = data?.data ?? []
  const form = useForm({
    draft: null,
    initial: { bundle: '' },
    check: ({ bundle }) => (bundle === '' ? { bundle: 'Choose a bundle.' } : {}),
    async send({ bundle }) {
      const { planName } = await subscribe.mutateAsync({ externalId: user.externalId, bundle })
      toast(`${user.externalId} is on ${planName}, from the next call on.`)
      onClose()
    },
  })
  const wanted = bundles.find(({ slug }) => slug === form.values.bundle)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={
        plan ? (
          <>
            Change the plan of <bdi>{user.externalId}</bdi>
          </>
        ) : (
          <>
            Put <bdi>{user.externalId}</bdi> on a plan
          </>
        )
      }
      about="From the next call on, in both modes."
    >
      <FormBody
        form={form}
        action={wanted ? `Put them on ${wanted.displayName}` : 'Put them on the plan'}
        busyAction="Changing"
        onCancel={onClose}
      >
        <SelectField
          form={form}
          name="bundle"
          label="Bundle"
          options={[
            ['', 'Choose one'],
            ...bundles.map(
              (bundle) => [bundle.slug, `${bundle.displayName}: ${priceWords(bundle)}`] as const,
            ),
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
        <div>
          <CopyAs
            operation="users.subscribe"
            input={{ externalId: user.externalId, bundle: form.values.bundle }}
          />
        </div>
      </FormBody>
    </Dialog>
  )
}

function priceWords({ interval, priceMicros }: Pick<Bundle, 'interval' | 'priceMicros'>): string {
  return priceMicros === null || priceMicros === '0' ? 'no price' : `${moneyText(priceMicros)} a ${interval}`
}

/** What happens, a sentence each. */
export function previewOf(
  wanted: Bundle,
  plan: Pick<Subscription, 'endsAt' | 'interval' | 'pools' | 'priceMicros'> | undefined,
  present: string | null,
): readonly string[] {
  if (plan && wanted.slug === present) {
    const isSame = (wanted.priceMicros ?? '0') === plan.priceMicros && wanted.interval === plan.interval
    return [
      isSame
        ? 'They are on it at this price already: nothing changes.'
        : `They are on it at another price; from now on it costs ${priceWords(wanted)}.`,
      ...(plan.endsAt === null ? [] : ['The cancellation is taken back.']),
    ]
  }
  const left = (plan?.pools ?? []).filter(({ consumed, granted }) => BigInt(granted) > BigInt(consumed))
  return [
    ...left.map(
      ({ consumed, displayName, granted, unit }) =>
        `${unitsText(BigInt(granted) - BigInt(consumed), unit)} left of ${displayName} is taken off, and returns with the plan.`,
    ),
    ...wanted.includes.map(
      ({ amount, displayName, recurring, unit }) =>
        `${unitsText(amount, unit)} of ${displayName} ${recurring ? 'each period' : 'once'}${recurring && plan ? ', less what other plans have paid in this one' : ''}.`,
    ),
    ...(wanted.includes.length === 0 ? ['It includes nothing: the wallet pays for every call.'] : []),
    wanted.spendLimitMicros === null
      ? 'It has no spend limit.'
      : `They may spend at most ${moneyText(wanted.spendLimitMicros)} ${periodWords(wanted.spendLimitPeriod)}.`,
    wanted.priceMicros === null || wanted.priceMicros === '0'
      ? 'Nothing is invoiced.'
      : `It costs ${priceWords(wanted)}: an invoice for the days left of the period, less unused days of a plan that costs less; from a dearer one, from the end of what was invoiced.`,
    ...(plan && plan.endsAt !== null ? ['The cancellation is taken back.'] : []),
    'Wallet, keys and ledger stay.',
  ]
}
