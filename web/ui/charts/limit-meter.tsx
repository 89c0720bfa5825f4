import { useId, type ReactNode } from 'react'
import { minus, plus, type ChartValue, type Format } from './chart-data.ts'

export interface MeterProps<V extends ChartValue> {
  readonly label: string
  readonly used: V
  readonly held: V
  /** Null if spending has no limit. */
  readonly limit: V | null
  readonly format: Format<V>
  readonly isBinding?: boolean
  /** Such as `resets 1 Dec`, or the origin of the limit. */
  readonly note?: ReactNode
}

export function Meter<V extends ChartValue>({
  format,
  held,
  isBinding = false,
  label,
  limit,
  note,
  used,
}: MeterProps<V>): ReactNode {
  const id = useId()
  const hasHeld = held > 0
  const left = limit === null ? null : minus(limit, plus(used, held))
  const state = left === null ? 'open' : left <= 0 ? 'full' : isNear(left, limit) ? 'near' : 'open'
  const words = [
    `${format(used)} used`,
    hasHeld && `${format(held)} held`,
    left === null
      ? 'no limit'
      : left < 0
        ? `${format(minus(left, plus(left, left)))} over`
        : `${format(left)} left`,
  ].filter(Boolean)
  return (
    <div className="min-w-0">
      <div className="flex flex-wrap items-baseline gap-x-3 text-13">
        <span id={id} className="min-w-0 truncate font-medium text-ink" title={label}>
          {label}
        </span>
        {isBinding && <span className="rounded bg-surface-3 px-1.5 text-12 text-ink">reached first</span>}
        <span className="figures ml-auto whitespace-nowrap text-ink">
          {limit === null ? 'no limit' : `of ${format(limit)}`}
        </span>
      </div>
      {limit !== null && (
        <div
          role="meter"
          aria-labelledby={id}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.min(percentOf(plus(used, held), limit), 100)}
          aria-valuetext={`${words.join(', ')}, of ${format(limit)}${isBinding ? ', reached first' : ''}`}
          className="mt-1.5"
        >
          <svg aria-hidden width="100%" height="8" className="block rounded">
            <defs>
              <pattern
                id={`${id}held`}
                width="5"
                height="5"
                patternUnits="userSpaceOnUse"
                patternTransform="rotate(45)"
              >
                <rect width="2.5" height="5" fill="var(--color-held)" />
              </pattern>
            </defs>
            <rect width="100%" height="8" fill="var(--color-surface-3)" />
            <rect width={`${percentOf(used, limit)}%`} height="8" fill={colors[state]} />
            {hasHeld && (
              <rect
                x={`${percentOf(used, limit)}%`}
                width={`${percentOf(held, limit)}%`}
                height="8"
                fill={`url(#${id}held)`}
              />
            )}
          </svg>
        </div>
      )}
      <div className="figures mt-1 flex flex-wrap justify-between gap-x-3 text-12 text-ink-2">
        <span>{words.slice(0, limit === null ? -1 : undefined).join(' · ')}</span>
        {note !== undefined && <span className="text-ink-3">{note}</span>}
      </div>
    </div>
  )
}

const colors = { open: 'var(--color-ink-2)', near: 'var(--color-held)', full: 'var(--color-negative)' }

/** Whether at most a fifth of the limit remains. */
function isNear<V extends ChartValue>(left: V, limit: V | null): boolean {
  return Number(left) * 5 <= Number(limit)
}

/** A limit of zero counts as fully used. */
function percentOf(value: ChartValue, limit: ChartValue): number {
  if (Number(limit) === 0) return 100
  return Math.max((Number(value) / Number(limit)) * 100, 0)
}
