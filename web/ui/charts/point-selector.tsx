/**
 * For screen readers, the selector is a slider whose value describes the selected point. `slider` is the only role
 * whose steps every screen reader announces.
 */
import { useRef, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react'
import { nothingChosen, rangeOf, stepped, type Chosen } from './keyboard-selection.ts'

export interface ChooserProps {
  readonly label: string
  readonly words: string
  readonly count: number
  readonly indexAt: (x: number) => number
  readonly chosen: Chosen
  readonly onChosen: (chosen: Chosen) => void
  /** Includes both points. If omitted, ranges cannot be selected. */
  readonly onRange?: ((first: number, last: number) => void) | undefined
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

export function Chooser({
  chosen,
  count,
  height,
  indexAt,
  label,
  left,
  onChosen,
  onRange,
  top,
  width,
  words,
}: ChooserProps): ReactNode {
  const ref = useRef<HTMLDivElement>(null)
  const [isDragging, setDragging] = useState(false)

  const at = (event: PointerEvent): number => {
    const x = event.clientX - (ref.current?.getBoundingClientRect().left ?? 0)
    return Math.min(Math.max(indexAt(x), 0), count - 1)
  }
  const take = (range: readonly [number, number]): void => {
    onChosen(nothingChosen)
    onRange?.(...range)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const range = rangeOf(chosen, count)
    if (event.key === 'Enter' && range && onRange) {
      event.preventDefault()
      take(range)
      return
    }
    if (event.metaKey || event.ctrlKey || event.altKey) return
    const next = stepped(chosen, event.key, { count, isRanging: event.shiftKey && onRange !== undefined })
    if (!next) return
    event.preventDefault()
    // Escape must not close a surrounding overlay.
    event.stopPropagation()
    onChosen(next)
  }
  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0) return
    // A touch screen has no hover, so a touch selects a point.
    if (event.pointerType === 'touch') {
      onChosen({ at: at(event), anchor: null })
      return
    }
    if (!onRange) return
    if (event.shiftKey) {
      onChosen({ at: at(event), anchor: chosen.anchor ?? chosen.at ?? at(event) })
      return
    }
    ref.current?.setPointerCapture(event.pointerId)
    setDragging(true)
    onChosen({ at: at(event), anchor: at(event) })
  }
  const onPointerMove = (event: PointerEvent): void => {
    // A range that was selected by keys or Shift-click is kept until the user applies or clears it.
    if (!isDragging && rangeOf(chosen, count)) return
    const next = at(event)
    if (next !== chosen.at || (!isDragging && chosen.anchor !== null))
      onChosen({ at: next, anchor: isDragging ? chosen.anchor : null })
  }
  const onPointerUp = (event: PointerEvent): void => {
    if (!isDragging) return
    setDragging(false)
    const range = rangeOf(chosen, count)
    if (range) take(range)
    else onChosen({ at: at(event), anchor: null })
  }
  return (
    <div
      ref={ref}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-orientation="horizontal"
      aria-valuemin={1}
      aria-valuemax={count}
      aria-valuenow={(chosen.at ?? count - 1) + 1}
      aria-valuetext={words}
      className={`absolute touch-pan-y rounded ${onRange ? 'cursor-crosshair' : ''}`}
      style={{ left, top, width, height }}
      onKeyDown={onKeyDown}
      onFocus={(event) => {
        if (chosen.at === null && event.currentTarget.matches(':focus-visible'))
          onChosen({ at: count - 1, anchor: null })
      }}
      onBlur={() => {
        // The button that applies the range is outside the chart.
        if (!rangeOf(chosen, count)) onChosen(nothingChosen)
      }}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={() => {
        setDragging(false)
        onChosen(nothingChosen)
      }}
      onPointerLeave={(event) => {
        // The touched point stays selected after the finger is lifted.
        if (event.pointerType === 'touch') return
        if (!isDragging && !rangeOf(chosen, count) && document.activeElement !== ref.current)
          onChosen(nothingChosen)
      }}
    />
  )
}
