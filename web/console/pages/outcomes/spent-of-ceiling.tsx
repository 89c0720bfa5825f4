import type { ReactNode } from 'react'
import { Money } from '#web/ui/formatted-values.tsx'

/** Screen readers read the share of the ceiling as text. */
export function SpentOfCeiling({
  ceilingMicros,
  spentMicros,
}: {
  readonly spentMicros: string
  readonly ceilingMicros: string
}): ReactNode {
  const ceiling = BigInt(ceilingMicros)
  // A ceiling of zero is fully used.
  const permille = ceiling === 0n ? 1000 : Number((BigInt(spentMicros) * 1000n) / ceiling)
  const width = Math.min(permille, 1000) / 10
  return (
    <span className="inline-flex flex-col items-end gap-0.5 leading-tight">
      <Money micros={spentMicros} aligned />
      <span aria-hidden className="block h-1 w-24 rounded bg-surface-3">
        <span
          className={`block h-1 rounded ${permille >= 800 ? 'bg-held' : 'bg-ink-3'}`}
          style={{ width: `${width}%` }}
        />
      </span>
      <span className="sr-only">{`${(permille / 10).toFixed(1)} % of the ceiling`}</span>
    </span>
  )
}
