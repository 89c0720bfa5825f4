/** A toast is never the only report of an error. */
import { useEffect, useState, type ReactNode } from 'react'
import { IconButton } from '#web/ui/button.tsx'
import { CloseIcon } from '#web/ui/icons.tsx'
import type { Toast } from './toast.tsx'

export default function ToastCard({
  of: { undo, words },
  onClose,
}: {
  readonly of: Toast
  readonly onClose: () => void
}): ReactNode {
  // Keep the toast while the pointer is over it, or while it has the focus.
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (isHeld) return
    const timer = setTimeout(onClose, undo ? 10_000 : 5000)
    return () => clearTimeout(timer)
  }, [undo, isHeld, onClose])
  return (
    <div
      className="pointer-events-auto flex min-h-12 w-full max-w-portal items-center gap-1 rounded bg-ink pl-4 text-surface shadow-float"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <p className="min-w-0 flex-1 py-3 text-14 wrap-anywhere">{words}</p>
      {undo && (
        <button
          type="button"
          className="h-12 rounded px-4 font-medium underline"
          onClick={() => {
            onClose()
            undo()
          }}
        >
          Undo
        </button>
      )}
      <IconButton
        label="Dismiss message"
        className="size-12 text-surface hover:bg-transparent hover:text-surface"
        onClick={onClose}
      >
        <CloseIcon />
      </IconButton>
    </div>
  )
}
