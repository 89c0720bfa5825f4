/** The plan of a person: what it grants and what is left, overage, invoices, and the time of test mode. */
import { useState, type ReactNode } from 'react'
import { NotFoundError } from '#sdk/errors.ts'
import type { EndUser, Subscription } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Facts, Section } from '#web/ui/layout.tsx'
import { Empty, Note, Skeleton, State } from '#web/ui/state.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Money, When } from '#web/ui/values.tsx'
import { useAnswer, useChange } from '../../calls.ts'
import { CommandLine, CopyAs } from '../../copy-as.tsx'
import { Period } from '../../period.tsx'
import { useScope } from '../../scope.ts'
import { useMay } from '../../session.ts'
import { Go } from '../../shell/go.tsx'
import { CancelPlan } from './cancel-plan.tsx'
import { ChangePlan } from './change-plan.tsx'
import { OnDemand } from './on-demand.tsx'
import { PlanInvoices } from './plan-invoices.tsx'
import { Pools } from './pools.tsx'
import { TestClock } from './test-clock.tsx'

export function Plan({
  onPlan,
  user,
}: {
  readonly user: EndUser
  /** False: they are on none, and there is nothing to ask for. */
  readonly onPlan: boolean
}): ReactNode {
  const { mode } = useScope()
  const mayChange = useMay('developer')
  const [asked, setAsked] = useState<'change' | 'cancel' | null>(null)
  const { data, error, refetch } = useAnswer(
    'subscription.show',
    { endUserId: user.externalId },
    { isEnabled: onPlan },
  )
  const close = (): void => setAsked(null)
  const hasNone = !onPlan || error instanceof NotFoundError
  const plan = hasNone ? undefined : data
  return (
    <>
      {error && !hasNone && <FailureNote error={error} onRetry={() => void refetch()} />}
      {!plan && !error && <Skeleton className="h-160" />}
      {hasNone && (
        <Empty
          title="On no plan."
          action={mayChange && <Button onClick={() => setAsked('change')}>Put them on a plan</Button>}
          command={
            <CommandLine
              operation="users.subscribe"
              input={{ externalId: user.externalId, bundle: 'slug-of-a-bundle' }}
            />
          }
        >
          Their keys call nothing until they are on a bundle. Wallet and ledger stay.
        </Empty>
      )}
      {plan && (
        <>
          <Section
            title={<bdi>{plan.planName}</bdi>}
            action={
              mayChange && (
                <div className="flex flex-wrap gap-2">
                  <Button size="small" onClick={() => setAsked('change')}>
                    Change the plan
                  </Button>
                  {plan.endsAt === null ? (
                    <Button size="small" onClick={() => setAsked('cancel')}>
                      Cancel the plan
                    </Button>
                  ) : (
                    <Resume user={user} />
                  )}
                  <CopyAs operation="subscription.show" input={{ endUserId: user.externalId }} />
                </div>
              )
            }
          >
            <Terms plan={plan} user={user} />
          </Section>
          <Pools plan={plan} />
          <OnDemand key={String(plan.onDemandEnabled)} user={user} plan={plan} />
          <PlanInvoices plan={plan} />
        </>
      )}
      {mode === 'test' && (plan || hasNone) && <TestClock periodEnd={plan?.periodEnd} />}
      {asked === 'change' && <ChangePlan user={user} plan={plan} onClose={close} />}
      {asked === 'cancel' && plan && <CancelPlan user={user} plan={plan} onClose={close} />}
    </>
  )
}

function Terms({ plan, user }: { readonly plan: Subscription; readonly user: EndUser }): ReactNode {
  return (
    <>
      {plan.endsAt !== null && (
        <div className="mb-3">
          <Note tone="held" title="The plan is cancelled.">
            <p className="text-ink-2">
              It ends <When at={plan.endsAt} />. Until then everything stays as it is; then their keys call
              nothing.
            </p>
          </Note>
        </div>
      )}
      <Facts
        facts={[
          [
            'State',
            plan.endsAt === null ? (
              <State key="state" tone="positive" words="Goes on" />
            ) : (
              <State key="state" tone="held" words="Ends" />
            ),
          ],
          [
            'Price',
            plan.priceMicros === '0' ? (
              'Nothing'
            ) : (
              <>
                <Money micros={plan.priceMicros} /> a {plan.interval}, as agreed when they came to it
              </>
            ),
          ],
          ['Period', <Period key="period" from={plan.periodStart} to={plan.periodEnd} />],
          plan.creditMicros === '0'
            ? null
            : [
                'Credit',
                <>
                  <Money micros={plan.creditMicros} /> off later invoices, for unused days of a plan before
                </>,
              ],
          [
            'Bundle',
            user.bundle === null ? (
              plan.planName
            ) : (
              <Go key="bundle" to="/bundles" search={{ open: user.bundle }}>
                <bdi>{user.bundle}</bdi>
              </Go>
            ),
          ],
        ]}
      />
    </>
  )
}

function Resume({ user }: { readonly user: EndUser }): ReactNode {
  const resume = useChange('subscription.resume', { touches: ['users', 'invoices'] })
  return (
    <>
      <Button
        size="small"
        kind="primary"
        isBusy={resume.isPending}
        onClick={() =>
          void resume.mutateAsync({ externalId: user.externalId }).then(
            () => toast('The plan goes on as if it had not been cancelled.'),
            () => null,
          )
        }
      >
        Take the cancellation back
      </Button>
      {resume.error && <FailureNote error={resume.error} />}
    </>
  )
}
