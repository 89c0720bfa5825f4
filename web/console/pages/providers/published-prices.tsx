/** The published prices apply to accounts at the providers' addresses, unless an account has its own price. */
import type { ReactNode } from 'react'
import type { CatalogModel } from '#sdk/generated/types.ts'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Facts } from '#web/ui/page-head-and-sections.tsx'
import { Sheet } from '#web/ui/dialog-sheet-and-menu.tsx'
import { Empty, Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { Count, Id, Money, Nothing, When } from '#web/ui/formatted-values.tsx'
import { useAllRows } from '../../load-all-rows.ts'
import { useAnswer, useRows } from '../../operations/use-operation.ts'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { factsOf } from '#money/price.ts'
import { namedDimensions, perWords } from '../../prices/price-text.ts'
import { decimalsOf, Rate } from '../../prices/rate-cell.tsx'
import { useSearchTexts, useSetSearch } from '../../url-parameters.ts'

export function Catalogue(): ReactNode {
  const { of, published } = useSearchTexts()
  const setSearch = useSetSearch()
  const providers = useAllRows('catalog.providers').data?.rows ?? []
  const input = of === undefined ? {} : { provider: of }
  const list = useRows('catalog.models', { limit: 100, ...input })
  return (
    <>
      <DataTable
        label="Published prices"
        name="catalogue"
        columns={columnsOf(list.rows ?? [])}
        rows={list}
        rowKey={({ name }) => name}
        onOpen={({ name }) => setSearch({ published: name })}
        isChosen={({ name }) => name === published}
        tools={
          <>
            <label className="flex max-w-full flex-wrap items-center gap-2 text-13 text-ink-2">
              Published by
              <select
                className="h-8 max-w-full min-w-0 rounded border border-edge bg-surface px-2 text-13 text-ink"
                value={of ?? ''}
                onChange={(event) => setSearch({ of: event.target.value === '' ? null : event.target.value })}
              >
                <option value="">All providers</option>
                {providers.map(({ id, models, name }) => (
                  <option key={id} value={id}>
                    {name} ({models})
                  </option>
                ))}
              </select>
            </label>
            <CopyAs operation="catalog.models" input={input} />
          </>
        }
        empty={
          <Empty
            title="No published prices"
            command={<CommandLine operation="catalog.models" input={input} />}
          />
        }
      />
      {published !== undefined && <Published key={published} name={published} />}
    </>
  )
}

function columnsOf(rows: readonly CatalogModel[]): readonly Column<CatalogModel>[] {
  const inputs = decimalsOf(rows.map(({ price }) => price.input))
  const outputs = decimalsOf(rows.map(({ price }) => price.output))
  return [
    {
      id: 'name',
      head: 'Model',
      cell: ({ deprecated, model }) => (
        <>
          <Id text={model} className="max-w-72" />
          {deprecated && <span className="ml-2 text-13 font-normal text-held">retiring</span>}
        </>
      ),
    },
    { id: 'provider', head: 'Published by', cell: ({ provider }) => provider },
    {
      id: 'input',
      head: 'Input',
      unit: '/ M',
      isNumber: true,
      cell: ({ price }) => <Rate micros={price.input} decimals={inputs} reason="Not published" />,
    },
    {
      id: 'output',
      head: 'Output',
      unit: '/ M',
      isNumber: true,
      cell: ({ price }) => <Rate micros={price.output} decimals={outputs} reason="Not published" />,
    },
    {
      id: 'context',
      head: 'Context',
      isNumber: true,
      cell: ({ contextTokens }) => <Count of={contextTokens} short reason="Unknown" />,
    },
    {
      id: 'since',
      head: 'Since',
      cell: ({ effectiveFrom }) => (
        <When at={effectiveFrom} isRealTime reason="The price is older than the first price list" />
      ),
    },
    { id: 'checked', head: 'Last checked', cell: ({ checkedAt }) => checkedAt.slice(0, 10) },
  ]
}

function Published({ name }: { readonly name: string }): ReactNode {
  const setSearch = useSetSearch()
  const { data, error, refetch } = useAnswer('catalog.show', { name })
  return (
    <Sheet
      isOpen
      onClose={() => setSearch({ published: null })}
      title={<bdi>{name}</bdi>}
      about="The price that the provider publishes."
    >
      {error ? (
        <FailureNote error={error} title="The price couldn't be loaded." onRetry={() => void refetch()} />
      ) : data ? (
        <div className="flex flex-col gap-4">
          <div>
            <CopyAs operation="catalog.show" input={{ name }} />
          </div>
          <Facts
            facts={[
              ...namedDimensions(data.price).map(
                (dimension) =>
                  [
                    factsOf(dimension).label,
                    <span key={dimension}>
                      <Money micros={data.price[dimension]} />{' '}
                      <span className="text-13 text-ink-3">{perWords(dimension)}</span>
                    </span>,
                  ] as const,
              ),
              ...(data.price.tiers ?? []).map(
                ({ aboveInputTokens, input, output }) =>
                  [
                    <>
                      Above <Count of={aboveInputTokens} />
                    </>,
                    <span key={aboveInputTokens}>
                      <Money micros={input} reason="same as the base rate" /> input,{' '}
                      <Money micros={output} reason="same as the base rate" /> output
                    </span>,
                  ] as const,
              ),
              ['Context', <Tokens key="context" of={data.contextTokens} />],
              ['Maximum output', <Tokens key="output" of={data.maxOutputTokens} />],
              [
                'Since',
                <When
                  key="since"
                  at={data.effectiveFrom}
                  isRealTime
                  reason="The price is older than the first price list"
                />,
              ],
              [
                'Source',
                <span key="source">
                  {data.source}, checked on {data.checkedAt.slice(0, 10)}
                </span>,
              ],
              data.note === null ? null : ['Note', data.note],
            ]}
          />
        </div>
      ) : (
        <Skeleton className="h-40" />
      )}
    </Sheet>
  )
}

function Tokens({ of }: { readonly of: number | null }): ReactNode {
  if (of === null) return <Nothing reason="Unknown" />
  return (
    <>
      <Count of={of} /> tokens
    </>
  )
}
