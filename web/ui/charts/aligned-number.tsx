import type { ReactNode } from 'react'

export function decimalsOf(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => decimalsIn(text) ?? 0))
}

/** Aligns decimal points without additional digits. */
export function AlignedNumber({
  decimals,
  text,
}: {
  readonly text: string
  readonly decimals: number
}): ReactNode {
  const missing = decimals - (decimalsIn(text) ?? decimals)
  return (
    <>
      {text}
      {missing > 0 && (
        <span aria-hidden className="invisible select-none" data-padding>
          {'0'.repeat(missing)}
        </span>
      )}
    </>
  )
}

function decimalsIn(text: string): number | null {
  const decimals = /\.(\d+)$/.exec(text)?.[1]
  return decimals === undefined ? null : decimals.length
}
