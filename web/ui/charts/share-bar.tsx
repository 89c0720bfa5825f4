import { useId, type ReactNode } from 'react'
import { AlignedNumber, decimalsOf } from './aligned-number.tsx'
import type { ChartSeries, ChartValue, Format } from './chart-data.ts'
import { permilles } from './parts-in-thousandths.ts'
import { fillOf, strokeOf, Swatch, Textures } from './series-styles.tsx'
import { topSeries } from './top-series.ts'

export interface ShareProps<V extends ChartValue> {
  readonly label: string
  /** No value is negative. If there are more than seven parts, the smallest are shown as one part, Other. */
  readonly parts: readonly { readonly key: string; readonly name: string; readonly value: V }[]
  readonly format: Format<V>
  readonly empty?: ReactNode
}

export function ShareBar<V extends ChartValue>({
  empty = 'No data yet.',
  format,
  label,
  parts,
}: ShareProps<V>): ReactNode {
  const id = useId()
  const shown = topSeries(
    parts.map(({ key, name, value }): ChartSeries<V> => ({ key, name, values: [value] })),
    7,
  )
  const values = shown.map((part) => part.values[0] ?? (0 as V))
  const thousandths = permilles(values)
  const isNothing = thousandths.every((part) => part === 0)
  const texts = values.map(format)
  const decimals = decimalsOf(texts)
  const before = thousandths.map((_, n) => thousandths.slice(0, n).reduce((sum, part) => sum + part, 0))
  return (
    <figure aria-labelledby={`${id}label`} className="m-0 min-w-0">
      <figcaption id={`${id}label`} className="text-13 font-medium text-ink">
        {label}
      </figcaption>
      {isNothing ? (
        <p className="mt-1.5 text-13 text-ink-3">{empty}</p>
      ) : (
        <>
          <svg aria-hidden width="100%" height="12" className="mt-1.5 block rounded">
            <Textures id={id} />
            {shown.map((part, n) => {
              const x = (before[n] ?? 0) / 10
              const width = (thousandths[n] ?? 0) / 10
              return (
                <g key={part.key}>
                  <rect x={`${x}%`} width={`${width}%`} height="12" fill={fillOf(id, strokeOf(part, n))} />
                  {n > 0 && width > 0 && (
                    <rect x={`${x}%`} width="1" height="12" fill="var(--color-surface)" />
                  )}
                </g>
              )
            })}
          </svg>
          <table className="figures mt-2 w-full text-13">
            <thead className="sr-only">
              <tr>
                <th scope="col">Part</th>
                <th scope="col">Share</th>
                <th scope="col">Value</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((part, n) => (
                <tr key={part.key}>
                  <th scope="row" className="w-full max-w-0 py-0.5 text-left font-normal text-ink-2">
                    <span className="flex items-center gap-2">
                      <Swatch id={id} kind="area" stroke={strokeOf(part, n)} />
                      <bdi className="truncate" title={part.name}>
                        {part.name}
                      </bdi>
                    </span>
                  </th>
                  <td className="py-0.5 pl-4 text-right whitespace-nowrap text-ink-3">
                    {((thousandths[n] ?? 0) / 10).toFixed(1)}
                    {'\u2009%'}
                  </td>
                  <td className="py-0.5 pl-4 text-right whitespace-nowrap text-ink">
                    <AlignedNumber text={texts[n] ?? ''} decimals={decimals} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </figure>
  )
}
