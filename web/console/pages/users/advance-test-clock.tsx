import { useState, type ReactNode } from 'react'
import { dayMs } from '#money/periods-and-windows.ts'
import { Button } from '#web/ui/button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Section } from '#web/ui/page-head-and-sections.tsx'
import { toast } from '#web/ui/toast.tsx'
import { exactTimeText } from '#web/ui/number-text.ts'
import { useAnswer, useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { useMay } from '../../sign-in/member-session.ts'

export function TestClock({ periodEnd }: { readonly periodEnd: string | undefined }): ReactNode {
  const mayChange = useMay('developer')
  const { data: clock } = useAnswer('testClock.show', {})
  const advance = useChange('testClock.advance')
  const [failure, setFailure] = useState<unknown>(null)
  if (!clock) return null
  const go = async (to: string): Promise<void> => {
    setFailure(null)
    try {
      const { now } = await advance.mutateAsync({ to })
      toast(`The test clock is now ${exactTimeText(now)}.`)
    } catch (error) {
      setFailure(error)
    }
  }
  const inDays = (days: number): string => new Date(Date.parse(clock.now) + days * dayMs).toISOString()
  const afterPeriod =
    periodEnd !== undefined && Date.parse(periodEnd) > Date.parse(clock.now) ? periodEnd : undefined
  return (
    <Section
      title="Test clock"
      about="The time of test mode for all end users of this application. The clock can't go back."
      action={<CopyAs operation="testClock.advance" input={{ to: afterPeriod ?? inDays(1) }} />}
    >
      <p className="mb-3 text-14">
        The test clock is <span className="figures font-medium">{exactTimeText(clock.now)}</span>
        {clock.offsetMs > 0 && ', ahead of real time'}.
      </p>
      {mayChange && (
        <div className="flex flex-wrap gap-2">
          <Button isBusy={advance.isPending} onClick={() => void go(inDays(1))}>
            Advance by one day
          </Button>
          {afterPeriod !== undefined && (
            <Button isBusy={advance.isPending} onClick={() => void go(afterPeriod)}>
              Advance to the next period
            </Button>
          )}
        </div>
      )}
      {failure !== null && (
        <div className="mt-3">
          <FailureNote error={failure} />
        </div>
      )}
    </Section>
  )
}
