import type { ReactNode } from 'react'
import { AlignedNumber, decimalsOf } from './aligned-number.tsx'
import { Swatch, type Stroke, type SwatchKind } from './series-styles.tsx'

export interface LegendItem {
  readonly key: string
  readonly name: string
  readonly stroke: Stroke
  readonly value?: string
}

export function Legend({
  id,
  items,
  kind,
}: {
  readonly id: string
  readonly kind: SwatchKind
  readonly items: readonly LegendItem[]
}): ReactNode {
  const decimals = decimalsOf(items.map(({ value = '' }) => value))
  return (
    <ul className="mt-2 grid list-none grid-cols-[repeat(auto-fill,minmax(min(100%,13rem),1fr))] gap-x-6 gap-y-1 p-0 text-12">
      {items.map(({ key, name, stroke, value }) => (
        <li key={key} className="flex min-w-0 items-center gap-2">
          <Swatch id={id} kind={stroke.isFaint ? 'line' : kind} stroke={stroke} />
          <bdi className="truncate text-ink-2" title={name}>
            {name}
          </bdi>
          {value !== undefined && (
            <span className="figures ml-auto whitespace-nowrap text-ink">
              <AlignedNumber text={value} decimals={decimals} />
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}
