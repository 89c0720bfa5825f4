import { useState, type ReactNode } from 'react'
import { Button, type ButtonKind } from '#web/ui/button.tsx'
import { Confirm } from '#web/ui/confirm-dialog.tsx'
import { useChange, type AnswerOf, type InputOf, type OperationId } from './operations/use-operation.ts'
import { CopyAs } from './copy-as-code.tsx'

export function ConfirmedChange<Id extends OperationId>({
  action,
  children,
  code,
  ifMatch,
  input,
  isDisabled = false,
  kind = 'danger',
  name,
  onDone,
  operation,
  title,
}: {
  readonly operation: Id
  readonly input: InputOf<Id> & object
  readonly ifMatch?: { readonly ifMatch?: string }
  readonly action: string
  readonly kind?: ButtonKind
  readonly isDisabled?: boolean
  readonly code?: string
  readonly title: ReactNode
  /** The user must type this text to confirm the change. */
  readonly name?: string
  readonly children: ReactNode
  readonly onDone: (answer: AnswerOf<Id>) => unknown
}): ReactNode {
  const change = useChange(operation)
  const [isAsked, setAsked] = useState(false)
  return (
    <>
      <Button kind={kind} disabled={isDisabled} onClick={() => setAsked(true)}>
        {action}
      </Button>
      <CopyAs operation={operation} input={input} {...(code !== undefined && { words: code })} />
      <Confirm
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={title}
        action={action}
        {...(name !== undefined && { name })}
        onConfirm={async () => await onDone(await change.mutateAsync({ ...input, ...ifMatch }))}
      >
        {children}
      </Confirm>
    </>
  )
}
