/** The generated data is the same on each load. */
import { useState, type ReactNode } from 'react'
import { dayMs, hourMs } from '#money/periods-and-windows.ts'
import { Bars } from '#web/ui/charts/bars.tsx'
import type { ChartSeries } from '#web/ui/charts/chart-data.ts'
import { Meter } from '#web/ui/charts/limit-meter.tsx'
import { ShareBar, type ShareProps } from '#web/ui/charts/share-bar.tsx'
import { Sparkline } from '#web/ui/charts/sparkline.tsx'
import { TimeSeries } from '#web/ui/charts/time-series.tsx'
import { rangeText } from '#web/ui/charts/time-text.ts'
import { Waterfall, type WaterfallPhase } from '#web/ui/charts/waterfall.tsx'
import { moneyText } from '#web/ui/money-text.ts'
import { countText, durationText } from '#web/ui/number-text.ts'

const start = Date.UTC(2026, 9, 24)
const days = timesOf(30, dayMs)
const hours = timesOf(720, hourMs)
const now = start + 29 * dayMs + 14 * hourMs

// The compiler cannot derive the element type of an empty list.
const none: readonly ChartSeries<bigint>[] = []
const nothing: readonly (bigint | null)[] = [null]
const noParts: ShareProps<bigint>['parts'] = []

const names = [
  'gpt-5.1',
  'claude-sonnet-4.5',
  'gemini-3-pro',
  'summary',
  'embedding-large',
  'claude-haiku-4.5',
  'gpt-5.1-mini',
  'a-name-that-nobody-would-choose-but-somebody-has-chosen-it-for-an-alias-of-128-characters-and-it-must-not-push-anything-aside-ok',
  'مساعد الدعم',
  'llama-4',
  'mistral-large',
  'deepseek-v4',
]

export function ChartsGallery(): ReactNode {
  const [range, setRange] = useState('not selected')
  const onRange = (from: number, to: number): void => setRange(rangeText(from, to, hourMs))
  const charged = amounts('charged', 'Charged', 30, 9_000_000, 1)
  const cost: ChartSeries<bigint> = {
    key: 'cost',
    name: 'Cost',
    values: charged.values.map((value, n) =>
      value === null ? null : (value * (n > 17 && n < 22 ? 118n : 71n)) / 100n,
    ),
  }
  const shown = (many: number, length: number, most: number): readonly ChartSeries<bigint>[] =>
    names.slice(0, many).map((name, n) => amounts(name, name, length, Math.round(most / (n + 1)), n + 3))
  const daily = { times: days, stepMs: dayMs, format: moneyText }
  const hourly = { times: hours, stepMs: hourMs, format: moneyText }
  const counts: ChartSeries<number> = {
    key: 'requests',
    name: 'Requests',
    values: charged.values.map((value) => Number((value ?? 0n) / 1000n)),
  }
  return (
    <div className="grid gap-12">
      <State name="Sparklines">
        <p className="flex flex-wrap items-center gap-6 text-13">
          <Sparkline label="Charged" values={charged.values} format={moneyText} />
          <Sparkline
            label="Charged, per hour"
            values={amounts('h', 'h', 720, 100_000, 7).values}
            format={moneyText}
          />
          <Sparkline label="One point" values={[5n]} format={moneyText} />
          <Sparkline label="Zero" values={[0n, 0n, 0n]} format={moneyText} />
          <Sparkline label="The same" values={[7n, 7n, 7n]} format={moneyText} />
          <Sparkline label="With a gap" values={[1n, 4n, null, 3n, 8n]} format={moneyText} />
          <Sparkline label="Negative" values={[-1n, 4n, -9n, 3n, 1n]} format={moneyText} />
          <Sparkline label="No data" values={nothing} format={moneyText} />
        </p>
      </State>
      <State name="Bars: 30 days, one series">
        <Bars label="Spend per day" {...daily} series={[charged]} nowMs={now} />
      </State>
      <State name={`Bars: stacked, with a brush (range: ${range})`}>
        <Bars
          label="Spend by model"
          {...daily}
          series={shown(4, 30, 3_000_000)}
          nowMs={now}
          onRange={onRange}
          height={200}
        />
      </State>
      <State name="Bars: 12 series">
        <Bars
          label="Spend by model"
          {...daily}
          series={shown(12, 30, 3_000_000)}
          nowMs={now}
          onRange={onRange}
          height={200}
        />
      </State>
      <State name="Bars: 720 hours of requests">
        <Bars
          label="Requests"
          unit="per hour"
          times={hours}
          stepMs={hourMs}
          format={countText}
          height={96}
          onRange={onRange}
          series={[{ ...counts, values: hours.map((_, n) => noise(n, 3) % 4000) }]}
        />
      </State>
      <State name="Bars: no data, one point, zeros, negative, huge, below a cent">
        <Grid>
          <Bars label="No data" {...daily} series={none} empty="Requests of the last 30 days appear here." />
          <Bars
            label="One point"
            {...daily}
            times={days.slice(0, 1)}
            series={[{ ...charged, values: [4_128_812n] }]}
          />
          <Bars label="Zeros" {...daily} series={[{ ...charged, values: days.map(() => 0n) }]} nowMs={now} />
          <Bars
            label="Gains and losses"
            {...daily}
            series={[
              { key: 'gain', name: 'Grants', values: days.map((_, n) => BigInt(noise(n, 1) % 900_000)) },
              { key: 'loss', name: 'Charges', values: days.map((_, n) => -BigInt(noise(n, 2) % 700_000)) },
            ]}
          />
          <Bars
            label="Huge"
            {...daily}
            series={[
              { ...charged, values: days.map((_, n) => 1_234_567_891_234n - BigInt(noise(n, 5)) * 400n) },
            ]}
          />
          <Bars
            label="Below a cent"
            {...daily}
            series={[{ ...charged, values: days.map((_, n) => BigInt(noise(n, 5) % 277)) }]}
          />
        </Grid>
      </State>
      <State name={`Time series: charge compared with cost, previous period, brush (range: ${range})`}>
        <TimeSeries
          label="Charged and cost"
          {...daily}
          kind="lines"
          series={[charged, cost]}
          gap={{ upper: 'charged', lower: 'cost', name: 'Margin' }}
          previous={amounts('previous', '30 days before', 30, 8_000_000, 11)}
          onRange={onRange}
        />
      </State>
      <State name="Time series: stacked areas, 12 series; stacked bars">
        <TimeSeries
          label="Spend by model"
          {...daily}
          kind="areas"
          series={shown(12, 30, 3_000_000)}
          onRange={onRange}
        />
        <TimeSeries
          label="Spend by model"
          {...daily}
          kind="bars"
          series={shown(5, 30, 3_000_000)}
          onRange={onRange}
        />
      </State>
      <State name="Time series: 720 hours">
        <TimeSeries
          label="Time to first token"
          times={hours}
          stepMs={hourMs}
          format={durationText}
          kind="lines"
          series={[
            { key: 'p50', name: 'p50', values: hours.map((_, n) => 280 + (noise(n, 8) % 90)) },
            {
              key: 'p95',
              name: 'p95',
              values: hours.map((_, n) => (n > 300 && n < 340 ? null : 640 + (noise(n, 9) % 700))),
            },
          ]}
          onRange={onRange}
        />
        <TimeSeries
          label="Spend by model"
          {...hourly}
          kind="bars"
          series={shown(3, 720, 90_000)}
          onRange={onRange}
        />
      </State>
      <State name="Time series: no data, one point, gaps, negative, huge, three hours">
        <Grid>
          <TimeSeries label="No data" {...daily} kind="lines" series={none} empty="Charges appear here." />
          <TimeSeries
            label="One point"
            {...daily}
            times={days.slice(0, 1)}
            kind="lines"
            series={[{ ...charged, values: [4_128_812n] }]}
          />
          <TimeSeries
            label="Gaps"
            unit="ms"
            {...daily}
            format={countText}
            kind="lines"
            series={[
              {
                ...counts,
                values: counts.values.map((value, n) => (n % 9 > 6 || n % 9 === 1 ? null : value)),
              },
            ]}
          />
          <TimeSeries
            label="Margin"
            {...daily}
            kind="lines"
            series={[
              {
                key: 'm',
                name: 'Margin',
                values: days.map((_, n) => BigInt((noise(n, 4) % 2_000_000) - 900_000)),
              },
            ]}
          />
          <TimeSeries
            label="Huge"
            {...daily}
            kind="areas"
            series={[
              { ...charged, values: days.map((_, n) => 1_234_567_891_234n - BigInt(noise(n, 5)) * 400n) },
              { ...cost, values: days.map((_, n) => 934_567_891_234n - BigInt(noise(n, 6)) * 300n) },
            ]}
          />
          <TimeSeries
            label="Three hours"
            times={timesOf(36, 300_000)}
            stepMs={300_000}
            format={moneyText}
            kind="areas"
            series={[amounts('a', 'Charged', 36, 900, 2)]}
          />
        </Grid>
      </State>
      <State name="Waterfall: settled after a second attempt">
        <Waterfall
          label="Request req_9f"
          phases={settledPhases}
          totalMs={8123}
          hold={{ held: 360_000n, charged: 41_200n, released: 318_800n }}
          format={moneyText}
          formatMs={durationText}
        />
      </State>
      <State name="Waterfall: rejected; still running">
        <Grid>
          <Waterfall
            label="Request req_a0"
            phases={settledPhases.slice(0, 2).concat({
              key: 'refused',
              name: 'reserve',
              atMs: 2,
              ms: 1,
              kind: 'failed',
              detail:
                'Monthly cap of key ci: $5.00, used $4.98, held $0.01; this request needed up to $0.09.',
            })}
            totalMs={3}
            hold={null}
            format={moneyText}
            formatMs={durationText}
          />
          <Waterfall
            label="Request req_a1"
            phases={settledPhases.slice(0, 4)}
            totalMs={900}
            hold={{ held: 360_000n, charged: null, released: null }}
            format={moneyText}
            formatMs={durationText}
          />
        </Grid>
      </State>
      <State name="Meters">
        <Grid>
          <Meter
            label="Included credit"
            used={4_720_000n}
            held={280_000n}
            limit={20_000_000n}
            format={moneyText}
            note="resets 1 Dec"
          />
          <Meter
            label="Monthly cap of key ci"
            used={4_300_000n}
            held={200_000n}
            limit={5_000_000n}
            format={moneyText}
            isBinding
          />
          <Meter
            label="On-demand"
            used={5_010_000n}
            held={0n}
            limit={5_000_000n}
            format={moneyText}
            note="resets 1 Dec"
          />
          <Meter label="Requests a minute" used={12} held={0} limit={60} format={countText} />
          <Meter
            label={names[7] ?? ''}
            used={1_234_567_891_234n}
            held={12n}
            limit={2_000_000_000_000n}
            format={moneyText}
          />
          <Meter label="Wallet" used={12_000n} held={0n} limit={null} format={moneyText} />
        </Grid>
      </State>
      <State name="Shares">
        <Grid>
          <ShareBar
            label="Charges by model"
            parts={names.map((name, n) => ({ key: name, name, value: BigInt(noise(n, 6) + 1) }))}
            format={moneyText}
          />
          <ShareBar
            label="Funding sources"
            parts={[
              { key: 'grant', name: 'Grants', value: 1n },
              { key: 'plan', name: 'Plan', value: 1n },
              { key: 'wallet', name: 'Wallet', value: 1n },
            ]}
            format={moneyText}
          />
          <ShareBar label="Nothing" parts={noParts} format={moneyText} />
        </Grid>
      </State>
    </div>
  )
}

const settledPhases: readonly WaterfallPhase<bigint>[] = [
  { key: 'auth', name: 'auth', atMs: 0, ms: 1, detail: 'Key ci, user ada, app notes' },
  { key: 'policy', name: 'policy', atMs: 1, ms: 1, detail: 'Monthly cap of key ci: $4.98 of $5.50 used' },
  {
    key: 'reserve',
    name: 'reserve',
    atMs: 2,
    ms: 3,
    detail: '$0.36 held for 12\u202f900 input and at most 4\u202f000 output tokens',
  },
  {
    key: 'attempt 1',
    name: 'attempt 1',
    atMs: 5,
    ms: 412,
    kind: 'failed',
    detail: 'Anthropic, claude-sonnet-4.5: 529 overloaded',
  },
  { key: 'backoff', name: 'wait', atMs: 417, ms: 120, kind: 'waits' },
  { key: 'attempt 2', name: 'attempt 2', atMs: 537, ms: 103, detail: 'Bedrock, claude-sonnet-4.5: 200' },
  {
    key: 'stream',
    name: 'stream',
    atMs: 640,
    ms: 7483,
    detail: '71 tokens a second, longest gap 310 ms',
    marks: [
      { atMs: 640, name: 'first token' },
      { atMs: 4955, name: 'client disconnected' },
    ],
  },
  {
    key: 'price',
    name: 'price',
    atMs: 8123,
    ms: null,
    amounts: [
      { key: 'cached', name: '12\u202f304 cached input tokens at $0.30 / M', value: 3691n },
      { key: 'input', name: '596 input tokens at $3.00 / M', value: 1788n },
      { key: 'output', name: '2\u202f381 output tokens at $15.00 / M', value: 35_715n },
      { key: 'rounding', name: 'rounded up to a whole micro', value: 6n },
    ],
  },
  { key: 'settle', name: 'settle', atMs: 8123, ms: null, detail: 'Usage from the provider’s last event' },
]

function State({ children, name }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <section className="grid min-w-0 gap-6">
      <h3 className="border-b border-line pb-1 text-12 text-ink-3">{name}</h3>
      {children}
    </section>
  )
}

function Grid({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className="grid gap-x-12 gap-y-8 tablet:grid-cols-2">{children}</div>
}

function timesOf(length: number, stepMs: number): readonly number[] {
  return Array.from({ length }, (_, n) => start + n * stepMs)
}

function noise(n: number, seed: number): number {
  let x = (n + 1) * 2_654_435_761 + seed * 40_503
  x = Math.imul(x ^ (x >>> 15), 2_246_822_519)
  return ((x ^ (x >>> 13)) >>> 0) % 2_147_483_648
}

function amounts(key: string, name: string, length: number, most: number, seed: number): ChartSeries<bigint> {
  return {
    key,
    name,
    values: Array.from({ length }, (_, n) => {
      const wave = 0.6 + 0.3 * Math.sin((n + seed) / 3)
      return BigInt(Math.round(wave * most + (noise(n, seed) % Math.ceil(most / 5 + 1))))
    }),
  }
}
