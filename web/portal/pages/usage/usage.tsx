import type { ReactNode } from 'react'
import { dayMs } from '#money/periods-and-windows.ts'
import type { PortalUsageOutput } from '#sdk/portal.ts'
import { csvLine } from '#safe-text/csv.ts'
import { Button } from '#web/ui/button.tsx'
import { download } from '#web/ui/download.ts'
import { countText } from '#web/ui/number-text.ts'
import { Money } from '#web/ui/formatted-values.tsx'
import { useAnswer } from '#web/portal/response-cache.ts'
import { dollarsCell } from '#web/portal/csv-amounts.ts'
import { Go, useSearch } from '#web/portal/portal-router.tsx'
import { client } from '#web/portal/end-user-session.ts'
import { Fact, List, Row } from '#web/portal/ui/lists-and-rows.tsx'
import { PageTitle, Part } from '#web/portal/ui/page-title-and-sections.tsx'
import { Shown, Waiting } from '#web/portal/ui/loaded-content.tsx'
import { Select } from '#web/portal/ui/select.tsx'
import UsageBars from '#web/portal/usage-bars.tsx'
import { countOf, dayText } from '#web/portal/time-and-count-text.ts'
import { byDay, dayOf, daysOf, ofName, ranges, type Days, type Sum } from './usage-days.ts'

export default function Usage(): ReactNode {
  const now = useAnswer('usage', () => client.portal.usage())
  return (
    <>
      <PageTitle title="Usage" about="Spend and tokens by model and by day. Days are in UTC." />
      {now.value === undefined && now.error === null ? (
        <Waiting rows={6} />
      ) : (
        <Shown answer={now} what="Your usage">
          {({ to }) => <UsageOf end={to} />}
        </Shown>
      )}
    </>
  )
}

function UsageOf({ end }: { readonly end: string }): ReactNode {
  const [search, setSearch] = useSearch()
  const range = search.get('range') ?? '30d'
  const name = search.get('model')
  const days = daysOf(range, { from: search.get('from'), to: search.get('to') }, end)
  const answer = useAnswer(`usage ${days.from} ${days.to}`, () => client.portal.usage(days))
  const nowMs = Date.parse(end)
  const last = dayText(dayOf(Date.parse(days.to) - 1), nowMs)
  return (
    <>
      <div className="mb-6 grid grid-cols-2 gap-3">
        <Select
          label="Date range"
          value={range}
          options={
            range === 'custom' ? [...ranges, ['custom', `${dayText(days.from, nowMs)} – ${last}`]] : ranges
          }
          onChange={(next) => setSearch({ range: next, from: null, to: null })}
        />
        <Select
          label="Model"
          value={name ?? ''}
          options={[
            ['', 'All models'],
            ...(answer.value?.rows ?? []).map(
              ({ requestedModel }) => [requestedModel, requestedModel] as const,
            ),
          ]}
          onChange={(next) => setSearch({ model: next })}
        />
      </div>
      <Shown answer={answer} what="Your usage" rows={6}>
        {(value) => (
          <Shape usage={value} name={name} onDays={(next) => setSearch({ range: 'custom', ...next })} />
        )}
      </Shown>
    </>
  )
}

function Shape({
  name,
  onDays,
  usage,
}: {
  readonly usage: PortalUsageOutput
  readonly name: string | null
  readonly onDays: (days: Days) => void
}): ReactNode {
  const shown = ofName(usage, name)
  const nowMs = Date.parse(usage.to)
  return (
    <>
      <UsageBars
        usage={{ ...usage, days: shown.days }}
        isStacked
        label="Spend per day"
        height={200}
        onRange={(fromMs, toMs) => onDays({ from: dayOf(fromMs), to: dayOf(toMs) })}
      />
      <dl className="mt-6 mb-8 border-t border-line" data-totals>
        <Fact name="Spent">
          <Money micros={shown.totals.billedMicros} className="font-semibold" />
        </Fact>
        <Fact name="Requests">{countText(shown.totals.calls)}</Fact>
        <Fact name="Tokens">
          {countText(shown.totals.inputTokens)} in, {countText(shown.totals.outputTokens)} out
        </Fact>
      </dl>
      {shown.totals.calls === 0 ? (
        <Empty name={name} isYear={Date.parse(usage.to) - Date.parse(usage.from) >= 365 * dayMs} />
      ) : (
        <>
          <Part title="By model">
            <List label="Usage by model">
              {shown.rows.map((row) => (
                <SumRow key={row.requestedModel} name={<bdi>{row.requestedModel}</bdi>} sum={row} />
              ))}
            </List>
          </Part>
          <Part
            title="By day"
            action={
              <Button
                onClick={() => download(`usage ${usage.from}.csv`, csvOfUsage(shown.days), 'text/csv')}
                size="large"
              >
                Download CSV
              </Button>
            }
          >
            <List label="Usage by day">
              {byDay(shown.days).map((row) => (
                <SumRow key={row.date} name={dayText(row.date, nowMs)} sum={row} />
              ))}
            </List>
          </Part>
        </>
      )}
    </>
  )
}

function SumRow({ name, sum }: { readonly name: ReactNode; readonly sum: Sum }): ReactNode {
  return (
    <Row>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{name}</span>
        <span className="figures block text-14 text-ink-2">
          {countOf(sum.calls, 'request')} · {countText(sum.inputTokens)} in, {countText(sum.outputTokens)} out
        </span>
      </span>
      <Money micros={sum.billedMicros} aligned />
    </Row>
  )
}

function Empty({ isYear, name }: { readonly name: string | null; readonly isYear: boolean }): ReactNode {
  return (
    <p className="border-t border-line py-4 text-ink-2">
      No usage on these days{name === null ? '' : ' for this model'}.{' '}
      {isYear ? (
        <Go to="/keys?act=new" className="brand-text underline">
          Create a key
        </Go>
      ) : (
        <Go to="/usage?range=year" className="brand-text underline">
          Show the last 365 days
        </Go>
      )}
    </p>
  )
}

function csvOfUsage(days: PortalUsageOutput['days']): string {
  return [
    ['day (UTC)', 'model', 'requests', 'input tokens', 'output tokens', 'spent (USD)'],
    ...days.map(({ billedMicros, calls, date, inputTokens, outputTokens, requestedModel }) => [
      date,
      requestedModel,
      calls,
      inputTokens,
      outputTokens,
      dollarsCell(billedMicros),
    ]),
  ]
    .map(csvLine)
    .join('')
}
