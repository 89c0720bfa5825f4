import type { ReactNode } from 'react'
import type { MarginOutput } from '#sdk/generated/operations.ts'
import { classNames } from '#web/ui/class-names.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import { rangeText } from '#web/ui/charts/time-text.ts'
import { Money } from '#web/ui/formatted-values.tsx'
import type { CallSearch } from '../../calls/request-filters.ts'
import { Go } from '../../shell/console-links.tsx'

interface Step {
  readonly key: string
  readonly name: string
  readonly about: string
  readonly micros: string | bigint
  /** Null if the step is part of another step. */
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
        <h2 className="text-16 font-semibold">From revenue to margin</h2>
        <p className="text-13 text-ink-2">
          {rangeText(Date.parse(from), Date.parse(to), dayMs)}, whole days (UTC)
        </p>
      </div>
      <table aria-label="From revenue to margin" className="w-full border-collapse text-14">
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
                  'h-9 border-b border-line pr-3 text-left phone:whitespace-nowrap',
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
          'No revenue in this range.'
        ) : (
          <>
            <span className="figures font-medium text-ink" data-step="percent">
              {totals.marginPercent.replace('-', '\u2212')}
              {'\u2009%'}
            </span>{' '}
            of revenue is margin.
          </>
        )}{' '}
        {probeCostMicros !== '0' && (
          <>
            Provider probes cost an additional <Money micros={probeCostMicros} />.{' '}
          </>
        )}
        <Go to="/requests" search={{ cost: '1' } satisfies CallSearch}>
          View requests
        </Go>
      </p>
    </section>
  )
}

function stepsOf(totals: MarginOutput['totals']): readonly Step[] {
  const subscriptions = BigInt(totals.subscriptionMicros ?? '0')
  const withWallet = subscriptions + BigInt(totals.paidFromWalletMicros)
  const revenue = BigInt(totals.revenueMicros)
  const margin = BigInt(totals.marginMicros)
  return [
    {
      key: 'subscriptions',
      name: 'Subscriptions',
      about:
        'Plan fees earned in this range. The amount of each invoice is spread over the days that the invoice covers.',
      micros: subscriptions,
      bar: [0n, subscriptions],
      look: 'gain',
    },
    {
      key: 'wallet',
      name: '+ Paid credit',
      about: 'Usage paid from wallet credit that end users bought.',
      micros: totals.paidFromWalletMicros,
      bar: [subscriptions, withWallet],
      look: 'gain',
    },
    {
      key: 'on-demand',
      name: '+ On-demand',
      about: 'Usage billed on demand.',
      micros: totals.onDemandMicros,
      bar: [withWallet, revenue],
      look: 'gain',
    },
    {
      key: 'revenue',
      name: '= Revenue',
      about: 'Subscriptions, paid credit and on-demand usage.',
      micros: revenue,
      bar: [0n, revenue],
      look: 'sum',
    },
    {
      key: 'cost',
      name: '\u2212 Provider cost',
      about:
        'The amount that providers charged for the requests in this range, including usage that plans and gifted credit pay for.',
      micros: totals.costMicros,
      bar: [margin, revenue],
      look: 'loss',
    },
    {
      key: 'over',
      name: 'including usage over the hold',
      about: totals.overHoldMicros === '0' ? 'no usage over the hold' : 'usage over the hold, never billed',
      micros: totals.overHoldMicros,
      bar: null,
      look: totals.overHoldMicros === '0' ? 'part' : 'alarm',
    },
    {
      key: 'margin',
      name: '= Margin',
      about: 'Revenue minus provider cost.',
      micros: margin,
      bar: [0n, margin],
      look: 'sum',
    },
    {
      key: 'billed',
      name: 'List value of usage',
      about: 'all usage at sell prices, whichever source paid',
      micros: totals.billedMicros,
      bar: null,
      look: 'part',
    },
    {
      key: 'plan',
      name: 'paid by plans',
      about: 'included in a plan',
      micros: totals.paidFromPlanMicros,
      bar: null,
      look: 'part',
    },
    {
      key: 'gift',
      name: 'paid by gifted credit',
      about: 'credit that was not paid for',
      micros: totals.paidFromGiftMicros,
      bar: null,
      look: 'part',
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
