import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { classNames } from './class-names.ts'

/** `by` is the name of the order. `isRising` means that the first click sorts in ascending order. */
export interface ColumnSort {
  readonly by: string
  readonly isRising?: boolean
}

export interface Sort {
  readonly by: string
  readonly isRising: boolean
  readonly onChange: (by: string, isRising: boolean) => void
}

/** `onNear` is called when the user scrolls near this element. */
export function Ahead({
  children,
  isReady,
  onNear,
}: {
  readonly isReady: boolean
  readonly onNear: () => void
  readonly children: ReactNode
}): ReactNode {
  const element = useRef<HTMLDivElement>(null)
  const near = useEffectEvent(onNear)
  useEffect(() => {
    const box = element.current
    if (!box || !isReady) return
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && near(),
      { rootMargin: '400px' },
    )
    observer.observe(box)
    return () => observer.disconnect()
  }, [isReady])
  return (
    <div ref={element} className="flex justify-center py-4">
      {children}
    </div>
  )
}

/** Reserves the space of the arrow to avoid a layout shift. */
export function SortButton({
  head,
  own,
  sort,
}: {
  readonly head: string
  readonly own: ColumnSort
  readonly sort: Sort
}): ReactNode {
  const isSorted = sort.by === own.by
  return (
    <button
      type="button"
      className="group/sort rounded font-medium hover:text-ink"
      onClick={() => sort.onChange(own.by, isSorted ? !sort.isRising : own.isRising === true)}
    >
      {head}
      <span aria-hidden className={classNames('ml-1', !isSorted && 'invisible group-hover/sort:visible')}>
        {(isSorted ? sort.isRising : own.isRising === true) ? '↑' : '↓'}
      </span>
    </button>
  )
}

/** The page itself must not scroll horizontally. The keyboard can focus the table. */
export function Sideways({
  children,
  label,
}: {
  readonly label: string
  readonly children: ReactNode
}): ReactNode {
  const element = useRef<HTMLDivElement>(null)
  const [isScrolled, setScrolled] = useState(false)
  useLayoutEffect(() => {
    const box = element.current
    if (!box) return
    const look = (): void => setScrolled(box.scrollWidth > box.clientWidth)
    const observer = new ResizeObserver(look)
    observer.observe(box)
    if (box.firstElementChild) observer.observe(box.firstElementChild)
    return () => observer.disconnect()
  }, [])
  return (
    <div
      ref={element}
      {...(isScrolled && {
        tabIndex: 0,
        role: 'group',
        'aria-label': `${label}, scrolls horizontally`,
        'data-scrolled': true,
      })}
      className={classNames(
        'group/sideways relative -mx-4 overflow-x-auto px-4 tablet:mx-0 tablet:px-0',
        !isScrolled && 'tablet:overflow-visible',
      )}
    >
      {children}
    </div>
  )
}
