/** Before the clock advances, lists the plan periods, keys and key caps that will end. */
import { useState, type ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { Confirm } from '#web/ui/confirm-dialog.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Field, inputClass } from '#web/ui/form.tsx'
import { Facts, Section } from '#web/ui/page-head-and-sections.tsx'
import { exactTimeText } from '#web/ui/number-text.ts'
import { Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Nothing } from '#web/ui/formatted-values.tsx'
import { useAnswer, useChange, type AnswerOf } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { useSearchText } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { daysOfText, faultOfTime, fieldOfTime, stepsFrom, timeOfField } from './test-clock-times.ts'
import { Ends } from './test-clock-preview.tsx'

type Clock = AnswerOf<'testClock.show'>

export function TestClockPart({
  app,
}: {
  readonly app: { readonly slug: string; readonly name: string }
}): ReactNode {
  const { data, error, refetch } = useAnswer('testClock.show', {})
  if (error)
    return (
      <FailureNote error={error} title="The test clock couldn't be loaded." onRetry={() => void refetch()} />
    )
  if (!data) return <Skeleton className="h-64" />
  return (
    <div className="max-w-prose">
      <p className="mb-4 text-ink-2">
        Test mode of <bdi className="font-medium text-ink">{app.name}</bdi> has its own clock, so that you can
        test the end of a period today. The clock runs at normal speed and can't go back.
      </p>
      <Facts
        className="mb-8"
        facts={[
          [
            'Test mode',
            <time key="now" dateTime={data.now}>
              {exactTimeText(data.now)}
            </time>,
          ],
          [
            'Live mode',
            <time key="real" dateTime={data.realNow}>
              {exactTimeText(data.realNow)}
            </time>,
          ],
          [
            'Ahead by',
            data.offsetMs === 0 ? <Nothing key="ahead" reason="Not advanced" /> : daysOfText(data.offsetMs),
          ],
          [
            'Latest possible time',
            <time key="latest" dateTime={data.latest}>
              {exactTimeText(data.latest)}
            </time>,
          ],
        ]}
      />
      <Advance key={app.slug} app={app} clock={data} />
    </div>
  )
}

function Advance({
  app,
  clock,
}: {
  readonly app: { readonly slug: string; readonly name: string }
  readonly clock: Clock
}): ReactNode {
  const may = useMay('developer')
  const advance = useChange('testClock.advance')
  const [typed, setTyped] = useSearchText('to')
  const [isAsked, setAsked] = useState(false)
  const to = typed === null ? null : timeOfField(typed)
  const fault = typed === null ? undefined : faultOfTime(to, clock)
  const ahead = to === null ? '' : daysOfText(Date.parse(to) - Date.parse(clock.now))
  return (
    <Section title="Advance clock">
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap gap-2">
          {stepsFrom(clock.now).map(([words, time]) => (
            <Button key={words} size="small" onClick={() => setTyped(fieldOfTime(time))}>
              {words}
            </Button>
          ))}
        </div>
        <Field
          label="To (UTC)"
          help="Choose a step above, or enter a time up to ten years ahead."
          fault={fault}
        >
          {(control) => (
            <input
              {...control}
              type="datetime-local"
              className={`${inputClass} figures max-w-64`}
              value={typed ?? ''}
              onChange={(event) => setTyped(event.target.value === '' ? null : event.target.value)}
            />
          )}
        </Field>
        {to !== null && fault === undefined && <Ends app={app.slug} from={clock.now} to={to} />}
        <div className="flex flex-wrap items-center gap-2">
          <Button
            kind="primary"
            disabled={!may || to === null || fault !== undefined}
            title={may ? undefined : 'Advancing the clock requires the developer role.'}
            onClick={() => setAsked(true)}
          >
            {to !== null && fault === undefined ? `Advance clock by ${ahead}` : 'Advance clock'}
          </Button>
          <CopyAs operation="testClock.advance" input={to === null ? {} : { to }} />
        </div>
      </div>
      {to !== null && (
        <Confirm
          isOpen={isAsked}
          onClose={() => setAsked(false)}
          title={
            <>
              Advance the test clock of <bdi>{app.name}</bdi> by {ahead}?
            </>
          }
          action={`Advance clock by ${ahead}`}
          onConfirm={async () => {
            await advance.mutateAsync({ to })
            setTyped(null)
            toast(`The test clock is now ${exactTimeText(to)}.`)
          }}
        >
          <p>
            Periods, invoices, caps and key expiry in test mode change as if you had waited until{' '}
            {exactTimeText(to)}. The clock can't go back.
          </p>
          <p>
            Live mode is not affected. Both modes share models, bundles and accounts, which use the real time.
          </p>
        </Confirm>
      )}
    </Section>
  )
}
