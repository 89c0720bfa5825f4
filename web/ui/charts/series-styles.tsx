/** Besides colors, series differ by the dashes of lines and the textures of areas. */
import type { ReactNode } from 'react'
import type { ChartSeries, ChartValue } from './chart-data.ts'

export interface Stroke {
  readonly color: string
  readonly dash: string | undefined
  /** Neighbors in a stack have different textures. */
  readonly texture: 'plain' | 'rising' | 'dots' | 'falling'
  readonly isFaint?: boolean
}

/** The style sheet includes only variables whose full names occur in the source. */
const strokes: readonly Stroke[] = [
  { color: 'var(--color-series-1)', dash: undefined, texture: 'plain' },
  { color: 'var(--color-series-2)', dash: '6 3', texture: 'rising' },
  { color: 'var(--color-series-3)', dash: '2 2', texture: 'plain' },
  { color: 'var(--color-series-4)', dash: '8 3 2 3', texture: 'dots' },
  { color: 'var(--color-series-5)', dash: '12 3', texture: 'plain' },
  { color: 'var(--color-series-6)', dash: '4 2 1 2', texture: 'falling' },
  { color: 'var(--color-series-7)', dash: '1 3', texture: 'plain' },
]
const other: Stroke = { color: 'var(--color-series-other)', dash: '3 4', texture: 'rising' }
export const previousStroke: Stroke = {
  color: 'var(--color-ink-3)',
  dash: '2 3',
  texture: 'plain',
  isFaint: true,
}

/** @param place from 0 */
export function strokeOf<V extends ChartValue>(series: ChartSeries<V>, place: number): Stroke {
  if (series.isOther) return other
  return strokes[(series.slot ?? place + 1) - 1] ?? other
}

/** `id` must be unique to the drawing. */
export function Textures({ id }: { readonly id: string }): ReactNode {
  return (
    <defs>
      {strokes.concat(other).map((stroke) => (
        <pattern
          key={stroke.color}
          id={textureId(id, stroke)}
          width="6"
          height="6"
          patternUnits="userSpaceOnUse"
        >
          <rect width="6" height="6" fill={stroke.color} />
          <Texture of={stroke.texture} />
        </pattern>
      ))}
    </defs>
  )
}

/** The drawing must contain `Textures` with the same ID. */
export function fillOf(id: string, stroke: Stroke): string {
  return `url(#${textureId(id, stroke)})`
}

function textureId(id: string, stroke: Stroke): string {
  return `${id}${stroke.color.replaceAll(/[^a-z0-9-]/g, '')}`
}

function Texture({ of }: { readonly of: Stroke['texture'] }): ReactNode {
  const line = { stroke: 'var(--color-surface)', strokeWidth: 1, strokeOpacity: 0.45, fill: 'none' }
  if (of === 'rising') return <path d="M-1 1 1 -1M0 6 6 0M5 7 7 5" {...line} />
  if (of === 'falling') return <path d="M-1 5 1 7M0 0 6 6M5 -1 7 1" {...line} />
  if (of === 'dots')
    return (
      <path d="M1.5 1.5h0M4.5 4.5h0" {...line} strokeWidth={1.5} strokeLinecap="round" strokeOpacity={0.6} />
    )
  return null
}

export type SwatchKind = 'line' | 'area'

export function Swatch({
  id,
  kind,
  stroke,
}: {
  readonly id: string
  readonly kind: SwatchKind
  readonly stroke: Stroke
}): ReactNode {
  return (
    <svg aria-hidden width={kind === 'line' ? 20 : 10} height="10" className="shrink-0">
      {kind === 'line' ? (
        <line
          x1="0"
          x2="20"
          y1="5"
          y2="5"
          stroke={stroke.color}
          strokeWidth="2"
          strokeDasharray={stroke.dash}
        />
      ) : (
        <rect width="10" height="10" rx="2" fill={fillOf(id, stroke)} />
      )}
    </svg>
  )
}
