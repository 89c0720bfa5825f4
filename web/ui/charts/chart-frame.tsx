import { lazy, Suspense, useId, useState, type ReactNode } from 'react'

/** The table is needed only after a user opens it. */
const ChartTable = lazy(() => import('./chart-table.tsx'))

export interface TableTwin {
  readonly heads: readonly string[]
  /** The first cell of each row names the row. */
  readonly rows: readonly (readonly string[])[]
  readonly foot?: readonly string[] | undefined
}

export interface ChartFrameProps {
  readonly label: string
  readonly isHeading?: boolean | undefined
  readonly unit?: string | undefined
  readonly summary: string
  /** Null if the chart has no data. */
  readonly table: (() => TableTwin) | null
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function ChartFrame({
  actions,
  children,
  isHeading = false,
  label,
  summary,
  table,
  unit,
}: ChartFrameProps): ReactNode {
  const id = useId()
  const [isTable, setTable] = useState(false)
  return (
    <figure aria-labelledby={`${id}-label`} aria-describedby={`${id}-summary`} className="m-0 min-w-0">
      <figcaption className="flex min-h-6 flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 text-13">
          {isHeading ? (
            <h2 id={`${id}-label`} className="inline text-16 font-semibold text-ink">
              {label}
            </h2>
          ) : (
            <span id={`${id}-label`} className="font-medium text-ink">
              {label}
            </span>
          )}
          {unit !== undefined && (
            <span className={isHeading ? 'ml-2 text-ink-2' : 'text-ink-3'}> {unit}</span>
          )}
        </span>
        <span className="ml-auto flex items-center gap-3">
          {actions}
          {table && (
            <button
              type="button"
              onClick={() => setTable(!isTable)}
              className="min-h-6 rounded text-12 whitespace-nowrap text-ink-3 hover:text-ink hover:underline"
            >
              {isTable ? 'Show as chart' : 'Show as table'}
              <span className="sr-only">: {label}</span>
            </button>
          )}
        </span>
        <span id={`${id}-summary`} className="sr-only">
          {summary}
        </span>
      </figcaption>
      {isTable && table ? (
        <Suspense fallback={children}>
          <ChartTable label={label} {...table()} />
        </Suspense>
      ) : (
        children
      )}
    </figure>
  )
}

/** Same height as the chart, with a zero line. */
export function NoData({
  children,
  height,
}: {
  readonly children: ReactNode
  readonly height: number
}): ReactNode {
  return (
    <div
      style={{ height }}
      className="mt-2 grid place-items-center border-b border-edge px-4 text-center text-13 text-ink-3"
    >
      <div>{children}</div>
    </div>
  )
}
