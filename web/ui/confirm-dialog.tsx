/** The user must type the name only if the action cannot be undone. */
import { useState, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { ButtonText } from './button-text.tsx'
import { FailureNote } from './failure.tsx'
import { inputClass } from './form.tsx'
import { Dialog } from './dialog-sheet-and-menu.tsx'
import { useHold } from './hold-page.ts'
import { isTypedName } from './is-typed-name.ts'

export function Confirm({
  action,
  children,
  isOpen,
  name,
  onClose,
  onConfirm,
  title,
}: {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly title: ReactNode
  readonly children: ReactNode
  readonly action: ReactNode
  readonly name?: string
  /** The dialog closes when the promise resolves, and shows the error if it rejects. */
  readonly onConfirm: () => Promise<unknown>
}): ReactNode {
  const [typed, setTyped] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  useHold(isBusy)
  const close = (): void => {
    setTyped('')
    setFailure(null)
    onClose()
  }
  const confirm = async (): Promise<void> => {
    setBusy(true)
    setFailure(null)
    try {
      await onConfirm()
      close()
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    // While the change is sent, the dialog stays open, so that it can show an error.
    <Dialog isOpen={isOpen} onClose={() => !isBusy && close()} title={title}>
      <div className="flex flex-col gap-4 text-14">
        <div className="flex flex-col gap-2 text-ink-2">{children}</div>
        {name !== undefined && (
          <label className="flex flex-col gap-1 text-13">
            <span>
              Type <code className="font-medium wrap-anywhere text-ink">{name}</code> to confirm
            </span>
            <input
              className={inputClass}
              value={typed}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setTyped(event.target.value)}
            />
          </label>
        )}
        {failure !== null && <FailureNote error={failure} />}
        <div className="flex flex-wrap gap-2">
          <Button
            kind="danger"
            className="max-w-full"
            isBusy={isBusy}
            disabled={name !== undefined && !isTypedName(typed, name)}
            onClick={() => void confirm()}
          >
            <ButtonText>{action}</ButtonText>
          </Button>
          <Button kind="quiet" disabled={isBusy} onClick={close}>
            Go back
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
