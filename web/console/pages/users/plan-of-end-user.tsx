import { useState, type ReactNode } from 'react'
import { NotFoundError } from '#sdk/errors.ts'
import type { EndUser, Subscription } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Facts, Section } from '#web/ui/page-head-and-sections.tsx'
import { Empty, Note, Skeleton, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Money, When } from '#web/ui/formatted-values.tsx'
import { useAnswer, useChange } from '../../operations/use-operation.ts'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { PeriodText } from '../../period-text.tsx'
import { useScope } from '../../application-and-mode.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { Go } from '../../shell/console-links.tsx'
import { CancelPlan } from './cancel-plan-dialog.tsx'
import { ChangePlan } from './change-plan-dialog.tsx'
import { OnDemand } from './on-demand-settings.tsx'
import { PlanInvoices } from './invoices-of-plan.tsx'
import { Pools } from './pools-of-end-user.tsx'
import { TestClock } from './advance-test-clock.tsx'

export function Plan({
  onPlan,
  user,
}: {
  readonly user: EndUser
  /** If false, the page requests no subscription. */
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
          title="No plan"
          action={mayChange && <Button onClick={() => setAsked('change')}>Choose plan</Button>}
          command={
            <CommandLine
              operation="users.subscribe"
              input={{ externalId: user.externalId, bundle: 'slug-of-a-bundle' }}
            />
          }
        >
          Choose a plan so that the end user can send requests. The wallet balance and the ledger are kept.
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
                    Change plan
                  </Button>
                  {plan.endsAt === null ? (
                    <Button size="small" onClick={() => setAsked('cancel')}>
                      Cancel plan
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
          <Note tone="held" title="The plan is canceled">
            <p className="text-ink-2">
              The plan ends <When at={plan.endsAt} /> and works normally until then. After that, requests are
              rejected.
            </p>
          </Note>
        </div>
      )}
      <Facts
        facts={[
          [
            'Status',
            plan.endsAt === null ? (
              <State key="state" tone="positive" words="Active" />
            ) : (
              <State key="state" tone="held" words="Canceled" />
            ),
          ],
          [
            'Price',
            plan.priceMicros === '0' ? (
              'Free'
            ) : (
              <>
                <Money micros={plan.priceMicros} /> per {plan.interval}, fixed when the end user joined the
                plan
              </>
            ),
          ],
          ['Period', <PeriodText key="period" from={plan.periodStart} to={plan.periodEnd} />],
          plan.creditMicros === '0'
            ? null
            : [
                'Credit',
                <>
                  <Money micros={plan.creditMicros} /> off later invoices, for unused days of an earlier plan
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
  const resume = useChange('subscription.resume')
  return (
    <>
      <Button
        size="small"
        kind="primary"
        isBusy={resume.isPending}
        onClick={() =>
          void resume.mutateAsync({ externalId: user.externalId }).then(
            () => toast('The cancellation was undone.'),
            () => null,
          )
        }
      >
        Undo cancellation
      </Button>
      {resume.error && <FailureNote error={resume.error} />}
    </>
  )
}
