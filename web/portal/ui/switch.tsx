import type { ReactNode } from 'react'
import { classNames } from '#web/ui/class-names.ts'

/** Changes only after the server has confirmed the change. */
export function Switch({
  describedBy,
  isBusy,
  isOn,
  labelledBy,
  onPress,
}: {
  readonly isOn: boolean
  readonly isBusy: boolean
  readonly labelledBy: string
  readonly describedBy: string
  readonly onPress: () => void
}): ReactNode {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-labelledby={labelledBy}
      aria-describedby={describedBy}
      // A disabled switch would lose the focus.
      aria-busy={isBusy || undefined}
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? undefined : onPress}
      className="-mr-2 grid size-16 h-12 shrink-0 place-items-center rounded aria-disabled:opacity-60"
    >
      <span
        className={classNames(
          'flex h-7 w-12 items-center rounded-full border p-0.5',
          isOn ? 'justify-end border-accent bg-accent' : 'border-edge bg-surface-3',
        )}
      >
        <span className="size-5.5 rounded-full border border-edge bg-surface" />
      </span>
    </button>
  )
}
