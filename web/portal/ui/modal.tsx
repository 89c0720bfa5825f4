/** The modal is the browser's own dialog. */
import { useEffect, useId, useRef, type ReactNode } from 'react'
import { IconButton } from '#web/ui/button.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { isSending } from '#web/ui/focus-first-field.ts'
import { useHold } from '#web/ui/hold-page.ts'
import { CloseIcon } from '#web/ui/icons.tsx'

export function Modal({
  about,
  children,
  isFirm = false,
  onClose,
  title,
}: {
  readonly title: ReactNode
  readonly about?: ReactNode
  /** A tap outside must not lose a value that is shown once, so only the dialog's own buttons close it. */
  readonly isFirm?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}): ReactNode {
  const id = useId()
  const element = useRef<HTMLDialogElement>(null)
  useHold(isFirm)
  const leave = (): void => {
    if (!isFirm && !isSending(element.current)) onClose()
  }
  useEffect(() => {
    const dialog = element.current
    const before = document.activeElement
    dialog?.showModal()
    return () => {
      dialog?.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    // The browser handles Escape in a dialog. A click on the backdrop is a click on the dialog element.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events
    <dialog
      ref={element}
      aria-labelledby={`${id}-title`}
      aria-describedby={about === undefined ? undefined : `${id}-about`}
      onCancel={(event) => {
        event.preventDefault()
        leave()
      }}
      onKeyDown={(event) => {
        // The browser closes the dialog on a second Escape, even if `cancel` is prevented.
        if (event.key === 'Escape' && (isFirm || isSending(element.current))) event.preventDefault()
      }}
      onClick={(event) => {
        // The second click of a double click on the button that opened the modal must not close it.
        if (event.target === element.current && event.detail < 2) leave()
      }}
      className={classNames(
        'fixed inset-x-0 top-auto bottom-0 m-0 max-h-[92dvh] w-full max-w-none overflow-y-auto rounded-t bg-surface p-0 shadow-float',
        'phone:inset-0 phone:m-auto phone:w-[min(34rem,calc(100vw-2rem))] phone:rounded',
      )}
    >
      <div className="p-5 pb-[max(1.25rem,env(safe-area-inset-bottom))] phone:p-6">
        <div className={classNames('mb-4 flex items-start gap-4', !isFirm && 'pr-10')}>
          <div className="min-w-0 flex-1">
            <h2 id={`${id}-title`} className="text-20 font-semibold wrap-anywhere">
              {title}
            </h2>
            {about !== undefined && (
              <p id={`${id}-about`} className="mt-1 text-ink-2">
                {about}
              </p>
            )}
          </div>
        </div>
        {children}
        {/* The button is last in the tab order, so that the first field gets the initial focus. */}
        {!isFirm && (
          <IconButton label="Close" className="absolute top-3 right-3 size-12" onClick={leave}>
            <CloseIcon className="size-5" />
          </IconButton>
        )}
      </div>
    </dialog>
  )
}
