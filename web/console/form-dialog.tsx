import type { ComponentProps, ReactNode } from 'react'
import type { FormValues } from '#web/ui/draft-of-form.ts'
import { FormBody } from '#web/ui/form.tsx'
import { Dialog } from '#web/ui/dialog-sheet-and-menu.tsx'
import type { OperationId } from './operations/use-operation.ts'
import { CopyAs } from './copy-as-code.tsx'

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
  /** Omit if several calls correspond to the form, or no call. */
  readonly operation?: OperationId
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
