import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { Operation, OperationTable } from '#cli/operations/operation-table.ts'
import { classNames } from '#web/ui/class-names.ts'
import { FailureNote } from '#web/ui/failure.tsx'
import { inputClass } from '#web/ui/form.tsx'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { Empty, Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { operationTableQuery } from '../../copy-as-code.tsx'
import { useSearchTexts, useSetSearch } from '../../url-parameters.ts'
import { OperationPart } from './operation-form-and-response.tsx'
import type { Ran } from './run-operation.ts'

export default function Workbench(): ReactNode {
  const { data: table, error, refetch } = useQuery(operationTableQuery)
  const { op, q = '' } = useSearchTexts()
  const setSearch = useSetSearch()
  const [history, setHistory] = useState<readonly Ran[]>([])
  const operation = table?.operations.find(({ id }) => id === op)
  return (
    <>
      <PageHead
        title="Workbench"
        about="Run any operation of the API with your permissions. Responses are the same as in your own programs."
        action={
          <a className="text-accent underline underline-offset-2" href="/reference">
            API reference
          </a>
        }
      />
      {error && <FailureNote error={error} onRetry={() => void refetch()} />}
      {!table && !error && <Skeleton className="h-96" />}
      {table && (
        <div className="grid gap-8 tablet:grid-cols-[16rem_minmax(0,1fr)]">
          <OperationList
            table={table}
            chosen={op ?? null}
            search={q}
            onSearch={(text) => setSearch({ q: text === '' ? null : text })}
            onChoose={(id) => setSearch({ op: id }, true)}
          />
          {operation ? (
            <OperationPart
              key={operation.id}
              operation={operation}
              history={history}
              onRan={(ran) => setHistory((before) => [ran, ...before].slice(0, historyMax))}
            />
          ) : (
            <Empty title={op === undefined ? 'Choose an operation' : `Operation ${op} not found`}>
              The description, form and response of the operation that you choose appear here. Operations that
              change data ask for confirmation first.
            </Empty>
          )}
        </div>
      )}
    </>
  )
}

const historyMax = 50

function OperationList({
  chosen,
  onChoose,
  onSearch,
  search,
  table: { nouns, operations },
}: {
  readonly table: OperationTable
  readonly chosen: string | null
  readonly search: string
  readonly onSearch: (text: string) => void
  readonly onChoose: (id: string) => void
}): ReactNode {
  const words = search.toLowerCase().split(/\s+/)
  const found = operations.filter(({ id, path, summary }) =>
    words.every((word) => `${id} ${summary} ${path}`.toLowerCase().includes(word)),
  )
  const byNoun = Map.groupBy(found, ({ id }) => id.split('.')[0] ?? id)
  return (
    <nav aria-label="Operations" className="min-w-0">
      <input
        type="search"
        data-filter
        aria-label="Search operations"
        placeholder="Search operations"
        className={inputClass}
        value={search}
        onChange={(event) => onSearch(event.target.value)}
      />
      {/* On a phone, a shorter list keeps the form visible. */}
      <div
        tabIndex={0}
        role="group"
        aria-label="Matching operations"
        className={classNames(
          'mt-2 overflow-y-auto tablet:max-h-[calc(100dvh-16rem)]',
          chosen === null ? 'max-h-[60dvh]' : 'max-h-40',
        )}
      >
        {found.length === 0 && <p className="py-3 text-13 text-ink-2">No matching operation.</p>}
        {[...byNoun].map(([noun, some]) => (
          <section key={noun} className="mb-3">
            <h2 className="py-1 text-12 font-medium text-ink-3" title={nouns[noun]}>
              {noun}
            </h2>
            <ul>
              {some.map((operation) => (
                <Choice
                  key={operation.id}
                  operation={operation}
                  isChosen={operation.id === chosen}
                  onChoose={onChoose}
                />
              ))}
            </ul>
          </section>
        ))}
      </div>
    </nav>
  )
}

function Choice({
  isChosen,
  onChoose,
  operation: { id, summary },
}: {
  readonly operation: Operation
  readonly isChosen: boolean
  readonly onChoose: (id: string) => void
}): ReactNode {
  return (
    <li>
      <button
        type="button"
        aria-current={isChosen ? 'true' : undefined}
        title={summary}
        onClick={() => onChoose(id)}
        className={classNames(
          'flex min-h-7 w-full items-center truncate rounded px-2 text-left font-mono text-13 hover:bg-surface-2',
          isChosen ? 'bg-surface-3 font-medium text-ink' : 'text-ink-2',
        )}
      >
        {id}
      </button>
    </li>
  )
}
