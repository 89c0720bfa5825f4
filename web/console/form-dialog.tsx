import type { ComponentProps, ReactNode } from 'react'
import { FormBody, type FormValues } from '#web/ui/form.tsx'
import { Dialog } from '#web/ui/dialog-sheet-and-menu.tsx'
import type { OperationId } from './operations/use-operation.ts'
import { CopyAs } from './copy-as-code.tsx'

/** A dialog that contains one form, with the call that the form makes as code. */
export function FormDialog<V extends FormValues>({
  about,
  children,
  input,
  onClose,
  operation,
  title,
  ...form
}: Omit<ComponentProps<typeof FormBody<V>>, 'onCancel'> & {
  readonly title: ReactNode
  readonly about?: ReactNode
  readonly onClose: () => void
  /** Omit if no single call corresponds to the form. */
  readonly operation?: OperationId
  /** The input of the operation. */
  readonly input?: object
}): ReactNode {
  return (
    <Dialog isOpen onClose={onClose} title={title} about={about}>
      <FormBody {...form} onCancel={onClose}>
        {children}
        {operation && (
          <div>
            <CopyAs operation={operation} {...(input && { input })} />
          </div>
        )}
      </FormBody>
    </Dialog>
  )
}
