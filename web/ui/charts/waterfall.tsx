/** The amounts add up to the charge. */
import { Fragment, useId, type ReactNode } from 'react'
import { AlignedNumber, decimalsOf } from './aligned-number.tsx'
import { ChartFrame, type TableTwin } from './chart-frame.tsx'
import { sum, type ChartValue, type Format } from './chart-data.ts'
import { niceTicks, type Tick } from './nice-ticks.ts'

export interface WaterfallPhase<V extends ChartValue> {
  readonly key: string
  readonly name: string
  readonly detail?: ReactNode
  /** Counts from the arrival of the request. Null if the start is not known. */
  readonly atMs: number | null
  /** Null for a single moment, or if the duration was not measured. */
  readonly ms: number | null
  /**
   * `waits`: neither the gateway nor the provider works during the phase. `failed`: the bar is hatched, and `detail`
   * states the reason.
   */
  readonly kind?: 'works' | 'waits' | 'failed'
  /** Such as the first token. */
  readonly marks?: readonly { readonly atMs: number; readonly name: string }[]
  /** Amounts that are not charged, such as a hold, are in `detail`. */
  readonly amounts?: readonly { readonly key: string; readonly name: string; readonly value: V }[]
}

export interface WaterfallHold<V extends ChartValue> {
  readonly held: V
  /** Null if the request is not settled yet. */
  readonly charged: V | null
  readonly released: V | null
}

export interface WaterfallProps<V extends ChartValue> {
  readonly label: string
  readonly isHeading?: boolean
  readonly phases: readonly WaterfallPhase<V>[]
  readonly totalMs: number
  readonly hold: WaterfallHold<V> | null
  readonly format: Format<V>
  readonly formatMs: (ms: number) => string
  readonly totalName?: string
}

const row =
  'grid grid-cols-[4rem_minmax(0,1fr)_auto] items-center gap-x-3 @[36rem]:grid-cols-[4rem_minmax(7rem,14rem)_minmax(0,1fr)_7.5rem]'
const barPlace = 'col-span-3 @[36rem]:col-span-1 @[36rem]:col-start-3 @[36rem]:row-start-1'
const moneyPlace = 'figures text-right whitespace-nowrap @[36rem]:col-start-4'

export function Waterfall<V extends ChartValue>({
  format,
  formatMs,
  hold,
  isHeading = false,
  label,
  phases,
  totalMs,
  totalName = 'Charged',
}: WaterfallProps<V>): ReactNode {
  const total = sum(phases.flatMap(({ amounts = [] }) => amounts.map(({ value }) => value)))
  const decimals = decimalsOf(
    [total, ...phases.flatMap(({ amounts = [] }) => amounts.map(({ value }) => value))].map((value) =>
      value === null ? '' : format(value),
    ),
  )
  const money = (value: V): ReactNode => <AlignedNumber text={format(value)} decimals={decimals} />
  const { ticks } = niceTicks({ values: [totalMs], format: formatMs, countMax: 6 })
  const axis = { totalMs, ticks: ticks.filter(({ value }) => value <= totalMs) }
  const summary = [
    `${label}: ${phases.length} ${phases.length === 1 ? 'phase' : 'phases'} in ${formatMs(totalMs)}.`,
    total === null ? '' : `${totalName}: ${format(total)}.`,
    hold ? `${holdWords(hold, format).join(', ')}.` : 'No amount was held.',
  ].join(' ')
  return (
    <ChartFrame
      label={label}
      isHeading={isHeading}
      summary={summary}
      table={() => waterfallTwin({ phases, format, formatMs, total, totalName })}
    >
      <div className="@container mt-2 text-13">
        <div aria-hidden className={`${row} pb-1 text-12 text-ink-3`}>
          <span className="@[36rem]:text-right">duration</span>
          <span className="hidden @[36rem]:inline">phase</span>
          <Axis {...axis} />
          <span className="col-start-3 row-start-1 text-right @[36rem]:col-start-4">amount</span>
        </div>
        <ol className="m-0 list-none p-0">
          {phases.map((phase) => (
            <li key={phase.key} className="border-t border-line py-2">
              <div className={row}>
                <span
                  className="figures whitespace-nowrap text-ink-2 @[36rem]:text-right"
                  title={phase.ms === null ? 'a moment' : `${phase.ms} ms`}
                >
                  {phase.ms === null ? '–' : formatMs(phase.ms)}
                </span>
                <bdi className="min-w-0 truncate font-medium text-ink" title={phase.name}>
                  {phase.name}
                </bdi>
                <Bar phase={phase} {...axis} />
                <span className={`${moneyPlace} col-start-3 row-start-1 text-ink`}>
                  {phase.amounts?.length === 1 && phase.amounts.map(({ value }) => money(value))}
                </span>
              </div>
              {(phase.detail !== undefined || phase.marks || (phase.amounts?.length ?? 0) > 1) && (
                <div className="pl-19 text-12 text-ink-2">
                  {phase.detail !== undefined && <div className="break-words">{phase.detail}</div>}
                  {phase.marks?.map(({ atMs, name }) => (
                    <div key={name} className="figures">
                      {name} at {formatMs(atMs)}
                    </div>
                  ))}
                  {(phase.amounts?.length ?? 0) > 1 && (
                    <dl className="figures m-0 mt-1 grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 gap-y-0.5 text-13">
                      {phase.amounts?.map(({ key, name, value }) => (
                        <Fragment key={key}>
                          <dt className="min-w-0 break-words text-ink-2">{name}</dt>
                          <dd className="m-0 text-right whitespace-nowrap text-ink">{money(value)}</dd>
                        </Fragment>
                      ))}
                    </dl>
                  )}
                </div>
              )}
            </li>
          ))}
        </ol>
        <div className="figures flex items-baseline justify-between gap-3 border-t border-edge py-2 font-medium text-ink">
          <span>
            {totalName} <span className="font-normal text-ink-3">in {formatMs(totalMs)}</span>
          </span>
          <span>
            {total === null ? (
              <span className="text-ink-3">{hold?.charged === null ? 'not settled yet' : 'nothing'}</span>
            ) : (
              money(total)
            )}
          </span>
        </div>
        {hold && <HoldBar hold={hold} format={format} />}
      </div>
    </ChartFrame>
  )
}

interface AxisProps {
  readonly totalMs: number
  readonly ticks: readonly Tick<number>[]
}

const percent = (ms: number, totalMs: number): number =>
  totalMs <= 0 ? 0 : Math.min((ms / totalMs) * 100, 100)

function Axis({ ticks, totalMs }: AxisProps): ReactNode {
  return (
    <span className={`figures relative block h-4 ${barPlace}`}>
      {ticks.map(({ label, value }) => {
        const at = percent(value, totalMs)
        const side = at < 4 ? '' : at > 94 ? '-translate-x-full' : '-translate-x-1/2'
        return (
          <span key={label} className={`absolute whitespace-nowrap ${side}`} style={{ left: `${at}%` }}>
            {label}
          </span>
        )
      })}
    </span>
  )
}

function Bar<V extends ChartValue>({
  phase: { atMs, kind = 'works', marks = [], ms },
  ticks,
  totalMs,
}: AxisProps & { readonly phase: WaterfallPhase<V> }): ReactNode {
  const id = useId()
  const start = percent(atMs ?? 0, totalMs)
  const size = percent(ms ?? 0, totalMs)
  return (
    <svg aria-hidden width="100%" height="20" className={`block overflow-visible ${barPlace}`}>
      {ticks.map(({ label, value }) => (
        <line
          key={label}
          x1={`${percent(value, totalMs)}%`}
          x2={`${percent(value, totalMs)}%`}
          y1="-2"
          y2="22"
          stroke="var(--color-line)"
        />
      ))}
      {kind === 'failed' && <Hatch id={`${id}failed`} color="var(--color-negative)" />}
      {atMs !== null && (
        // Keep a very short phase visible and within the axis.
        <svg x={`${Math.min(start, 99.5)}%`} width={`${Math.max(size, 0.5)}%`} height="20" overflow="visible">
          <rect
            y="5"
            width="100%"
            height="10"
            rx="1.5"
            className="min-w-0.5"
            fill={
              kind === 'failed'
                ? `url(#${id}failed)`
                : kind === 'waits'
                  ? 'var(--color-surface-3)'
                  : 'var(--color-ink-2)'
            }
            stroke={
              kind === 'waits' ? 'var(--color-edge)' : kind === 'failed' ? 'var(--color-negative)' : 'none'
            }
          />
        </svg>
      )}
      {marks.map((mark) => (
        <line
          key={mark.name}
          x1={`${percent(mark.atMs, totalMs)}%`}
          x2={`${percent(mark.atMs, totalMs)}%`}
          y1="1"
          y2="19"
          stroke="var(--color-accent)"
          strokeWidth="2"
        />
      ))}
    </svg>
  )
}

function HoldBar<V extends ChartValue>({
  format,
  hold: { charged, held, released },
}: {
  readonly hold: WaterfallHold<V>
  readonly format: Format<V>
}): ReactNode {
  const id = useId()
  // A correction after the end of the call may raise the charge above the hold.
  const whole = Math.max(Number(held), Number(charged ?? 0) + Number(released ?? 0))
  const chargedWidth = charged === null || whole === 0 ? 0 : (Number(charged) / whole) * 100
  return (
    <div className="border-t border-line py-3">
      <svg aria-hidden width="100%" height="12" className="block rounded">
        <Hatch id={`${id}held`} color="var(--color-held)" />
        <rect width="100%" height="12" fill="var(--color-surface-3)" />
        <rect width="100%" height="12" fill={`url(#${id}held)`} />
        <rect width={`${chargedWidth}%`} height="12" fill="var(--color-ink)" />
        {chargedWidth > 0 && (
          <rect x={`${chargedWidth}%`} width="2" height="12" fill="var(--color-surface)" />
        )}
      </svg>
      <dl className="figures m-0 mt-2 flex flex-wrap gap-x-6 gap-y-1 text-12">
        <HoldPart name="held" value={format(held)} swatch={charged === null ? `url(#${id}held)` : null} />
        <HoldPart
          name="charged"
          value={charged === null ? 'not settled yet' : format(charged)}
          swatch={charged === null ? null : 'var(--color-ink)'}
        />
        {released !== null && (
          <HoldPart name="released" value={format(released)} swatch={`url(#${id}held)`} />
        )}
      </dl>
    </div>
  )
}

function HoldPart({
  name,
  swatch,
  value,
}: {
  readonly name: string
  readonly value: string
  /** Null if the bar does not show this part. */
  readonly swatch: string | null
}): ReactNode {
  return (
    <div className="flex items-center gap-2">
      {swatch !== null && (
        <svg aria-hidden width="10" height="10" className="shrink-0">
          <rect width="10" height="10" rx="2" fill="var(--color-surface-3)" />
          <rect width="10" height="10" rx="2" fill={swatch} />
        </svg>
      )}
      <dt className="text-ink-2">{name}</dt>
      <dd className="m-0 text-ink">{value}</dd>
    </div>
  )
}

function Hatch({ color, id }: { readonly id: string; readonly color: string }): ReactNode {
  return (
    <defs>
      <pattern id={id} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="2.5" height="5" fill={color} />
      </pattern>
    </defs>
  )
}

function holdWords<V extends ChartValue>(
  { charged, held, released }: WaterfallHold<V>,
  format: Format<V>,
): readonly string[] {
  return [
    `${format(held)} held`,
    charged === null ? 'not settled yet' : `${format(charged)} charged`,
    ...(released === null ? [] : [`${format(released)} released`]),
  ]
}

function waterfallTwin<V extends ChartValue>({
  format,
  formatMs,
  phases,
  total,
  totalName,
}: {
  readonly phases: readonly WaterfallPhase<V>[]
  readonly format: Format<V>
  readonly formatMs: (ms: number) => string
  readonly total: V | null
  readonly totalName: string
}): TableTwin {
  return {
    heads: ['Phase', 'Start', 'Duration', 'Amount'],
    rows: phases.flatMap(({ amounts = [], atMs, marks = [], ms, name }) => [
      [
        name,
        atMs === null ? '–' : formatMs(atMs),
        ms === null ? '–' : formatMs(ms),
        amounts.length === 1 ? amounts.map(({ value }) => format(value)).join('') : '–',
      ],
      ...marks.map((mark) => [`${name}: ${mark.name}`, formatMs(mark.atMs), '–', '–']),
      ...(amounts.length > 1
        ? amounts.map((amount) => [`${name}: ${amount.name}`, '–', '–', format(amount.value)])
        : []),
    ]),
    foot: [totalName, '', '', total === null ? '–' : format(total)],
  }
}
