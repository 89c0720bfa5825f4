import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { Segments } from '#web/ui/tabs-segments-and-switch.tsx'
import { CodeBlock } from '#web/ui/code-block.tsx'
import { useExtra } from '#web/ui/extras-collected-in-sheet.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Dialog } from '#web/ui/dialog-sheet-and-menu.tsx'
import { Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import type { OperationId } from './operations/use-operation.ts'
import { useScope } from './application-and-mode.ts'
import { languages, snippetOf, type Language } from './code-for-api-calls.ts'

export const operationTableQuery = {
  queryKey: ['operation table'],
  queryFn: async () => (await import('#cli/operations/operation-table.ts')).operationTable,
  staleTime: Infinity,
}

/** A side sheet or a setup step has one such button for the calls of all its elements. */
export function CopyAs({
  input = {},
  operation,
  words = 'As code',
}: {
  readonly operation: OperationId
  readonly input?: object
  readonly words?: string
}): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const isElsewhere = useExtra(`${operation} ${JSON.stringify(input)}`, {
    name: operation,
    content: <Snippets operation={operation} input={input} />,
  })
  if (isElsewhere) return null
  return (
    <>
      <Button size="small" kind="quiet" onClick={() => setOpen(true)}>
        {words}
      </Button>
      {isOpen && (
        <Dialog
          isOpen
          onClose={() => setOpen(false)}
          title={operation}
          about="Code that sends this request from a terminal or a program."
        >
          <Snippets operation={operation} input={input} />
        </Dialog>
      )}
    </>
  )
}

export function Snippets({
  input = {},
  operation: id,
}: {
  readonly operation: OperationId
  readonly input?: object
}): ReactNode {
  const scope = useScope()
  const [language, setLanguage] = useState<Language>(
    () => (localStorage.getItem('tollgate language') as Language | null) ?? 'cli',
  )
  const { data, error } = useQuery(operationTableQuery)
  const operation = data?.operations.find((one) => one.id === id)
  if (error) return <FailureNote error={error} />
  return (
    <div className="flex flex-col gap-3">
      <Segments
        label="Language"
        value={language}
        options={languages}
        onChange={(next) => {
          localStorage.setItem('tollgate language', next)
          setLanguage(next)
        }}
      />
      {operation ? (
        <CodeBlock
          label={`${id} in ${language}`}
          text={snippetOf(language, operation, input, { ...scope, baseUrl: location.origin })}
        />
      ) : (
        <Skeleton className="h-16" />
      )}
    </div>
  )
}

export function CommandLine({
  input = {},
  operation: id,
}: {
  readonly operation: OperationId
  readonly input?: object
}): ReactNode {
  const scope = useScope()
  const { data } = useQuery(operationTableQuery)
  const operation = data?.operations.find((one) => one.id === id)
  if (!operation) return <Skeleton className="h-11 w-80 max-w-full" />
  return (
    <CodeBlock
      label="Command line"
      className="w-full max-w-prose"
      text={snippetOf('cli', operation, input, { ...scope, baseUrl: location.origin })}
    />
  )
}
