/** From what was billed to what is left, step by step; each bar begins where the one before ends. */
import type { ReactNode } from 'react'
import type { MarginOutput } from '#sdk/generated/operations.ts'
import { classNames } from '#web/ui/class-names.ts'
import { dayMs, rangeText } from '#web/ui/charts/time-text.ts'
import { Money } from '#web/ui/values.tsx'
import { Go } from '../../shell/go.tsx'
import { revenueOf } from './other-prices.ts'

interface Step {
  readonly key: string
  readonly name: string
  readonly about: string
  readonly micros: string | bigint
  /** Where its bar begins and ends; null: it is a part of another step, and has none. */
  readonly bar: readonly [from: bigint, to: bigint] | null
  readonly look: 'gain' | 'loss' | 'sum' | 'part' | 'alarm'
}

export function MarginSteps({ margin }: { readonly margin: MarginOutput }): ReactNode {
  const { from, probeCostMicros, to, totals } = margin
  const steps = stepsOf(totals)
  const ends = steps.flatMap(({ bar }) => bar ?? [])
  const low = ends.reduce((a, b) => (b < a ? b : a), 0n)
  const high = ends.reduce((a, b) => (b > a ? b : a), 0n)
  return (
    <section>
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-6">
        <h2 className="text-16 font-semibold">From billed to margin</h2>
        <p className="text-13 text-ink-2">
          {rangeText(Date.parse(from), Date.parse(to), dayMs)}, whole days (UTC)
        </p>
      </div>
      <table aria-label="From billed to margin" className="w-full border-collapse text-14">
        <thead className="sr-only">
          <tr>
            <th scope="col">Step</th>
            <th scope="col">Bar</th>
            <th scope="col">Amount</th>
          </tr>
        </thead>
        <tbody>
          {steps.map(({ about, bar, key, look, micros, name }) => (
            <tr key={key} className={look === 'sum' ? 'font-medium' : 'font-normal'}>
              <th
                scope="row"
                title={about}
                className={classNames(
                  'h-9 border-b border-line pr-3 text-left whitespace-nowrap',
                  look === 'sum' ? 'font-medium' : 'font-normal',
                  (look === 'part' || look === 'alarm') && 'pl-4 text-ink-2',
                )}
              >
                {name}
              </th>
              <td className="w-full border-b border-line">
                {bar ? (
                  <Bar bar={bar} look={look} low={low} high={high} />
                ) : (
                  <span
                    className={classNames(
                      'hidden text-13 phone:inline',
                      look === 'alarm' ? 'text-held' : 'text-ink-3',
                    )}
                  >
                    {about}
                  </span>
                )}
              </td>
              <td className="border-b border-line pl-3 text-right" data-step={key}>
                <Money
                  micros={micros}
                  aligned
                  signed={key === 'margin'}
                  {...(look === 'alarm' && { className: 'text-held' })}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="mt-2 text-13 text-ink-2">
        {totals.marginPercent === null ? (
          'Nothing was billed.'
        ) : (
          <>
            <span className="figures font-medium text-ink" data-step="percent">
              {totals.marginPercent.replace('-', '\u2212')}
              {'\u2009%'}
            </span>{' '}
            of what was earned is left.
          </>
        )}{' '}
        {probeCostMicros !== '0' && (
          <>
            Probes of your accounts cost <Money micros={probeCostMicros} /> besides.{' '}
          </>
        )}
        <Go to="/requests" search={{ minCostMicros: '1' }}>
          Calls behind it
        </Go>
      </p>
    </section>
  )
}

function stepsOf(totals: MarginOutput['totals']): readonly Step[] {
  const billed = BigInt(totals.billedMicros)
  const revenue = revenueOf(totals)
  const margin = BigInt(totals.marginMicros)
  return [
    {
      key: 'billed',
      name: 'Billed',
      about: 'What the bundles sell the calls for.',
      micros: billed,
      bar: [0n, billed],
      look: 'gain',
    },
    {
      key: 'subscriptions',
      name: '+ Subscriptions',
      about: 'Invoices of plans that were issued in these days and are not void.',
      micros: totals.subscriptionMicros ?? '0',
      bar: [billed, revenue],
      look: 'gain',
    },
    {
      key: 'revenue',
      name: '= Earned',
      about: 'Billed and subscribed.',
      micros: revenue,
      bar: [0n, revenue],
      look: 'sum',
    },
    {
      key: 'charged',
      name: 'of it charged',
      about: 'left pools, wallets and on-demand',
      micros: totals.chargeMicros,
      bar: null,
      look: 'part',
    },
    {
      key: 'cost',
      name: '\u2212 Provider cost',
      about: 'What the provider accounts are charged for the calls.',
      micros: totals.costMicros,
      bar: [margin, revenue],
      look: 'loss',
    },
    {
      key: 'over',
      name: 'of it over hold',
      about:
        totals.overHoldMicros === '0'
          ? 'nothing was used beyond what was held'
          : 'used beyond what was held, and never billed',
      micros: totals.overHoldMicros,
      bar: null,
      look: totals.overHoldMicros === '0' ? 'part' : 'alarm',
    },
    {
      key: 'margin',
      name: '= Margin',
      about: 'What is left.',
      micros: margin,
      bar: [0n, margin],
      look: 'sum',
    },
  ]
}

const fills = {
  gain: 'var(--color-series-1)',
  loss: 'var(--color-series-2)',
  sum: 'var(--color-ink-3)',
  part: 'none',
  alarm: 'none',
} as const

function Bar({
  bar: [from, to],
  high,
  look,
  low,
}: {
  readonly bar: readonly [bigint, bigint]
  readonly look: Step['look']
  readonly low: bigint
  readonly high: bigint
}): ReactNode {
  const span = high - low
  if (span === 0n) return null
  const percent = (value: bigint): number => Number(((value - low) * 10_000n) / span) / 100
  const left = percent(from < to ? from : to)
  const width = Math.max(percent(from < to ? to : from) - left, from === to ? 0 : 0.3)
  const isLoss = look === 'sum' && to < from
  return (
    <svg aria-hidden width="100%" height="14" className="block">
      <rect
        x={`${left}%`}
        width={`${width}%`}
        height="14"
        rx="2"
        fill={isLoss ? 'var(--color-negative)' : fills[look]}
      />
    </svg>
  )
}
