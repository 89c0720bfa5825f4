import type { ReactNode } from 'react'
import { AlignedNumber, decimalsOf } from './aligned-number.tsx'
import type { Plot } from './axes.tsx'
import { Swatch, type Stroke, type SwatchKind } from './series-styles.tsx'

export interface ReadoutRow {
  readonly key: string
  readonly name: string
  /** Null if the row is computed from other rows and has no line. */
  readonly stroke: Stroke | null
  readonly value: string
  readonly delta: string
}

export interface ReadoutProps {
  readonly id: string
  readonly kind: SwatchKind
  readonly title: string
  readonly rows: readonly ReadoutRow[]
}

const width = 340

/** Screen readers get the same text from the component that selects points. */
export function FloatingReadout({
  plot,
  x,
  ...rest
}: ReadoutProps & { readonly plot: Plot; readonly x: number }): ReactNode {
  const right = plot.left + plot.width
  const left = x + 12 + width > right ? Math.max(x - 12 - width, plot.left) : x + 12
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute z-10 rounded bg-surface px-3 py-2 shadow-float"
      style={{ left, top: plot.top, width }}
    >
      <Readout {...rest} />
    </div>
  )
}

/** For a chart that is too narrow for a floating panel. */
export function Readout({ id, kind, rows, title }: ReadoutProps): ReactNode {
  const decimals = decimalsOf(rows.flatMap(({ delta, value }) => [value, delta]))
  return (
    <div aria-hidden className="text-12">
      <p className="mb-1 font-medium text-ink">{title}</p>
      <table className="figures w-full">
        <tbody>
          {rows.map(({ delta, key, name, stroke, value }) => (
            <tr key={key}>
              <td className="w-full max-w-0 py-px">
                <span className="flex items-center gap-2">
                  {stroke ? (
                    <Swatch id={id} kind={stroke.isFaint ? 'line' : kind} stroke={stroke} />
                  ) : (
                    <span className={kind === 'line' ? 'w-5' : 'w-2.5'} />
                  )}
                  <bdi className="truncate text-ink-2" title={name}>
                    {name}
                  </bdi>
                </span>
              </td>
              <td className="py-px pl-3 text-right whitespace-nowrap text-ink">
                <AlignedNumber text={value} decimals={decimals} />
              </td>
              <td className="py-px pl-3 text-right whitespace-nowrap text-ink-3">
                <AlignedNumber text={delta} decimals={decimals} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
