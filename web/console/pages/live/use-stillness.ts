/** Whether somebody looks so closely that nothing may move: the pointer over it, the focus in it, or scrolled away. */
import { useEffect, useState, type FocusEvent, type PointerEvent } from 'react'

/** Below, the newest row is still in sight. */
const scrollMax = 160

export function useStillness(): {
  readonly isStill: boolean
  readonly handlers: {
    readonly onPointerMove: (event: PointerEvent) => void
    readonly onPointerLeave: () => void
    readonly onFocus: (event: FocusEvent) => void
    readonly onBlur: (event: FocusEvent<HTMLElement>) => void
  }
  /** Moves on, although the pointer or the focus is still there: until they come anew. */
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

/** Filters and buttons above the rows hold nothing up. */
function isInTable(target: EventTarget): boolean {
  return target instanceof Element && target.closest('table') !== null
}
