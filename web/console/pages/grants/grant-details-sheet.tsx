import { useState, type ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Facts } from '#web/ui/page-head-and-sections.tsx'
import { Sheet } from '#web/ui/dialog-sheet-and-menu.tsx'
import { Skeleton, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { Count, Money, Nothing, When } from '#web/ui/formatted-values.tsx'
import { useAnswer } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { useMay } from '../../sign-in/member-session.ts'
import { ReverseDialog } from './reverse-grant-dialog.tsx'

export function GrantSheet({
  id,
  onClose,
  onStep,
}: {
  readonly id: string
  readonly onClose: () => void
  readonly onStep: (by: 1 | -1) => void
}): ReactNode {
  const mayChange = useMay('developer')
  const [isReversing, setReversing] = useState(false)
  const { data: grant, error, refetch } = useAnswer('grants.show', { id }, { everyMs: 5000 })
  return (
    <Sheet isOpen onClose={onClose} onStep={onStep} title="Grant" about={<code>{id}</code>}>
      {error && !grant && <FailureNote error={error} onRetry={() => void refetch()} />}
      {!grant && !error && <Skeleton className="h-48" />}
      {grant && (
        <>
          <Facts
            className="mb-4"
            facts={[
              [
                'State',
                grant.status === 'done' ? (
                  <State key="state" tone="positive" words="Granted to all end users" />
                ) : (
                  <State key="state" tone="held" words={`${grant.done} of ${grant.endUsers} granted`} />
                ),
              ],
              ['Amount', <Money key="amount" micros={grant.amountUnits} />],
              ['End users', <Count key="people" of={grant.endUsers} />],
              ['Total', <Money key="all" micros={BigInt(grant.amountUnits) * BigInt(grant.done)} />],
              ...(grant.reversals.length > 0
                ? ([['Reversed', <Money key="reversed" micros={grant.reversedUnits} />]] as const)
                : []),
              ['Reason', <bdi key="reason">{grant.reason}</bdi>],
              ['Issued', <When key="at" at={grant.createdAt} />],
              ...(grant.startsAt === null
                ? []
                : ([['Starts', <When key="starts" at={grant.startsAt} />]] as const)),
              ...(grant.expiresAt === null
                ? []
                : ([['Expires', <When key="expires" at={grant.expiresAt} />]] as const)),
              [
                'Idempotency key',
                grant.idempotencyKey === null ? (
                  <Nothing reason="No idempotency key was sent" />
                ) : (
                  <code key="key">{grant.idempotencyKey}</code>
                ),
              ],
            ]}
          />
          <div className="flex flex-wrap gap-2">
            {mayChange && grant.status === 'done' && (
              <Button onClick={() => setReversing(true)}>Reverse grant</Button>
            )}
            <CopyAs operation="grants.show" input={{ id }} />
          </div>
          {isReversing && <ReverseDialog grant={grant} onClose={() => setReversing(false)} />}
        </>
      )}
    </Sheet>
  )
}
