/** Rows stay in place while the pointer or the focus is on them, or while the page is scrolled. */
import { useEffect, useState, type FocusEvent, type PointerEvent } from 'react'

/** Scroll distance in pixels up to which the newest row is visible. */
const scrollMax = 160

export function useStillness(): {
  readonly isStill: boolean
  readonly handlers: {
    readonly onPointerMove: (event: PointerEvent) => void
    readonly onPointerLeave: () => void
    readonly onFocus: (event: FocusEvent) => void
    readonly onBlur: (event: FocusEvent<HTMLElement>) => void
  }
  /** The rows stop again when the pointer or the focus enters them again. */
  readonly moveOn: () => void
} {
  const [isOver, setOver] = useState(false)
  const [isFocused, setFocused] = useState(false)
  const [isScrolled, setScrolled] = useState(false)
  useEffect(() => {
    const onScroll = (): void => setScrolled(window.scrollY > scrollMax)
    window.addEventListener('scroll', onScroll, { passive: true })
    return () => window.removeEventListener('scroll', onScroll)
  }, [])
  return {
    isStill: isOver || isFocused || isScrolled,
    handlers: {
      onPointerMove: ({ pointerType, target }) => pointerType === 'mouse' && setOver(isInTable(target)),
      onPointerLeave: () => setOver(false),
      onFocus: ({ target }) => setFocused(isInTable(target)),
      onBlur: ({ currentTarget, relatedTarget }) =>
        !currentTarget.contains(relatedTarget) && setFocused(false),
    },
    moveOn() {
      setOver(false)
      setFocused(false)
      window.scrollTo({ top: 0 })
      setScrolled(false)
    },
  }
}

/** Filters and buttons above the rows do not pause the rows. */
function isInTable(target: EventTarget): boolean {
  return target instanceof Element && target.closest('table') !== null
}
