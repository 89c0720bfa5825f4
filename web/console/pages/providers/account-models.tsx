import { useState, type ReactNode } from 'react'
import type { AccountModel, ProviderAccount } from '#sdk/generated/types.ts'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { inputClass } from '#web/ui/form.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { Empty } from '#web/ui/status-notes-and-placeholders.tsx'
import { Count, Id } from '#web/ui/formatted-values.tsx'
import { useAllRows } from '../../load-all-rows.ts'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { rateWords } from '../../prices/price-text.ts'
import { decimalsOf, Rate } from '../../prices/rate-cell.tsx'
import { useSetSearch } from '../../url-parameters.ts'

export function AccountModels({
  account: { kind, label },
  may,
}: {
  readonly account: ProviderAccount
  readonly may: boolean
}): ReactNode {
  const setSearch = useSetSearch()
  const [filter, setFilter] = useState('')
  const { data, error, refetch } = useAllRows('providers.models', { id: label })
  const rows = data?.rows.filter(({ model }) => model.toLowerCase().includes(filter.toLowerCase()))
  const inputs = decimalsOf(rows?.map(({ price }) => price.input) ?? [])
  const outputs = decimalsOf(rows?.map(({ price }) => price.output) ?? [])
  const columns: readonly Column<AccountModel>[] = [
    {
      id: 'model',
      head: 'Model',
      cell: ({ deprecated, model }) => (
        <>
          <Id text={model} className="max-w-52" />
          {deprecated && <span className="ml-2 text-13 font-normal text-held">retiring</span>}
        </>
      ),
    },
    {
      id: 'input',
      head: 'Input',
      unit: '/ M',
      isNumber: true,
      cell: ({ price }) => <Rate micros={price.input} decimals={inputs} reason="No input rate" />,
    },
    {
      id: 'output',
      head: 'Output',
      unit: '/ M',
      isNumber: true,
      cell: ({ price }) => <Rate micros={price.output} decimals={outputs} reason="No output rate" />,
    },
    {
      id: 'context',
      head: 'Context',
      isNumber: true,
      cell: ({ contextTokens }) => <Count of={contextTokens} short reason="Unknown" />,
    },
    {
      id: 'by',
      head: 'Price',
      cell: ({ missing, pricedBy }) =>
        missing.length > 0 ? (
          <span
            className="text-negative"
            title="Until you set the missing rates, costs are computed at assumed rates"
          >
            no rate for {missing.map(rateWords).join(', ')}
          </span>
        ) : pricedBy === 'account' ? (
          'set by you'
        ) : (
          'published'
        ),
    },
  ]
  return (
    <section>
      <h3 className="mb-1 text-14 font-semibold">Models with a price</h3>
      <DataTable
        label="Models with a price"
        name="account models"
        columns={columns}
        rows={{ rows, error: error ?? undefined, retry: () => void refetch() }}
        rowKey={({ model }) => model}
        {...(may && {
          onOpen: ({ model }: AccountModel) => setSearch({ act: 'price', model }),
        })}
        tools={
          <>
            {(data?.rows.length ?? 0) > 8 && (
              <input
                aria-label="Find model"
                placeholder="Find model"
                className={classNames(inputClass, 'h-8 max-w-56')}
                value={filter}
                onChange={(event) => setFilter(event.target.value)}
              />
            )}
            <CopyAs operation="providers.models" input={{ id: label }} />
          </>
        }
        empty={
          filter === '' ? (
            <Empty
              title="No models with a price yet"
              command={
                <CommandLine
                  operation="providers.price"
                  input={{ id: label, model: 'their-model', price: { input: '150000', output: '600000' } }}
                />
              }
            >
              <p>
                {kind === 'simulator'
                  ? 'The simulator charges the price that you set here. Without a price, the sell price of the bundle is recorded as the cost of requests.'
                  : 'The base URL of this account has no published prices. Set the price that the provider charges you, so that models can use this account.'}
              </p>
            </Empty>
          ) : (
            <p className="py-3 text-14 text-ink-2">No models match.</p>
          )
        }
      />
    </section>
  )
}
