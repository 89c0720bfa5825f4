import type { ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { useNow } from '#web/ui/current-time-hooks.ts'
import { Empty, Note, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { Id, Money, Nothing } from '#web/ui/formatted-values.tsx'
import { useAccountPrices } from '../../providers/account-price-queries.ts'
import { useAllRows } from '../../load-all-rows.ts'
import { RowsAge } from '../../reload-button-with-age.tsx'
import { useAnswer, useRows } from '../../operations/use-operation.ts'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { decimalsOf, Rate } from '../../prices/rate-cell.tsx'
import { useSearchTexts, useSetSearch } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { healthOfName } from '../../providers/health-words.ts'
import { useSort } from '../../sorting-in-url.ts'
import { stepper } from '../../open-neighbor-row.ts'
import { ModelSheet } from './model-sheet.tsx'
import { NewModelSheet } from './model-sources-form.tsx'
import { lastWeek, marginOf, pricedName, stateOf, type PricedName } from './price-list-rows.ts'

export default function Models(): ReactNode {
  const { act, bundle: chosen, open } = useSearchTexts()
  const setSearch = useSetSearch()
  const may = useMay('developer')
  const [sort, order] = useSort(['created', 'name'])
  const list = useRows('models.list', { ...order, limit: 100 }, { everyMs: 60_000 })
  const bundles = useAllRows('bundles.list').data?.rows ?? []
  const bundle =
    bundles.find(({ slug }) => slug === chosen) ?? bundles.find((one) => one.default) ?? bundles[0]
  const sources = list.rows?.flatMap((model) => model.sources) ?? []
  const { error: costError, priceOf } = useAccountPrices(sources.map(({ provider }) => provider))
  const health = useAnswer('health', { window: '24h' }).data
  const week = lastWeek(useNow(60_000))
  const margins = useAllRows('margin', { by: 'model', ...week })
  const priced = list.rows?.map((model) => pricedName(model, priceOf, bundle))
  const columns = columnsOf(priced ?? [], {
    health,
    margins: margins.data?.rows,
    bundle: bundle?.slug ?? null,
  })
  const openNew = (): void => setSearch({ act: 'new', open: null })
  const action = (
    <Button
      kind="primary"
      onClick={openNew}
      disabled={!may}
      title={may ? undefined : 'Adding models requires the developer role.'}
    >
      Add model
    </Button>
  )
  return (
    <>
      <PageHead
        title="Models"
        about="Models that end users can request, with their sources, sell prices and costs. Prices and costs are per million tokens."
        action={
          <>
            <CopyAs operation="models.list" />
            {action}
          </>
        }
      />
      {costError !== null && <FailureNote error={costError} title="Costs can't be shown." />}
      <DataTable
        label="Models"
        name="models"
        columns={columns}
        rows={{ ...list, rows: priced }}
        sort={sort}
        rowKey={({ model }) => model.name}
        onOpen={({ model }) => setSearch({ open: model.name, act: null })}
        isChosen={({ model }) => model.name === open}
        tools={
          <>
            {/* The button comes first, so that it does not move when the bundles load. */}
            <RowsAge of={list} />
            {bundles.length > 0 && (
              <label className="flex max-w-full flex-wrap items-center gap-2 text-13 text-ink-2">
                Show prices of bundle{' '}
                <select
                  className="h-8 max-w-full min-w-0 rounded phone:max-w-64 border border-edge bg-surface px-2 text-13 text-ink"
                  value={bundle?.slug ?? ''}
                  onChange={(event) => setSearch({ bundle: event.target.value })}
                >
                  {bundles.map(({ default: isDefault, displayName, slug }) => (
                    <option key={slug} value={slug}>
                      {displayName} ({slug}){isDefault ? ', default' : ''}
                    </option>
                  ))}
                </select>
              </label>
            )}
          </>
        }
        empty={
          <Empty
            title="No models yet"
            action={action}
            command={
              <CommandLine
                operation="models.add"
                input={{ name: 'acme/fast', sources: [{ provider: 'main', model: 'gpt-5-mini' }] }}
              />
            }
          >
            <p>
              A model name is routed to models of your provider accounts. End users request the name, and you
              can change the sources at any time. Add a model to start serving requests.
            </p>
          </Empty>
        }
      />
      {margins.data?.isCut === true && (
        <Note tone="held">Margins are shown for the first 2,000 models. Other models show a dash.</Note>
      )}
      {act === 'new' && <NewModelSheet onClose={() => setSearch({ act: null })} />}
      {open !== undefined && act !== 'new' && (
        <ModelSheet
          key={open}
          name={open}
          bundle={bundle}
          health={health}
          margin={marginOf(open, margins.data?.rows)}
          onStep={stepper(
            list.rows,
            ({ name }) => name,
            open,
            (next) => setSearch({ open: next, act: null }),
          )}
        />
      )}
    </>
  )
}

function columnsOf(
  rows: readonly PricedName[],
  {
    bundle,
    health,
    margins,
  }: {
    readonly health: Parameters<typeof healthOfName>[1]
    readonly margins: Parameters<typeof marginOf>[1]
    readonly bundle: string | null
  },
): readonly Column<PricedName>[] {
  const decimals = (of: (row: PricedName) => string | undefined): number => decimalsOf(rows.map(of))
  const sells = { input: decimals(({ sell }) => sell?.input), output: decimals(({ sell }) => sell?.output) }
  const costs = { input: decimals(({ cost }) => cost?.input), output: decimals(({ cost }) => cost?.output) }
  const sell = (side: 'input' | 'output') => (row: PricedName) => {
    if (bundle === null) return <Nothing reason="No bundle sells this model" />
    if (!row.isAllowed) return <Nothing reason={`The bundle ${bundle} does not allow this model`} />
    if (row.sell === null) return <span className="text-13 text-ink-3">at cost</span>
    return (
      <Rate micros={row.sell[side]} decimals={sells[side]} reason="The price has no rate for this unit" />
    )
  }
  const cost = (side: 'input' | 'output') => (row: PricedName) => (
    <Rate
      micros={row.cost?.[side]}
      decimals={costs[side]}
      reason={`${row.source?.provider ?? 'No source'} has no price for this model`}
    />
  )
  return [
    {
      id: 'name',
      head: 'Name',
      sort: { by: 'name', isRising: true },
      cell: ({ model }) => <Id text={model.name} className="max-w-56" />,
    },
    { id: 'behind', head: 'Source', cell: ({ model }) => <Behind model={model} /> },
    { id: 'sell-in', head: 'Input price', unit: '/ M', isNumber: true, cell: sell('input') },
    { id: 'cost-in', head: 'Input cost', unit: '/ M', isNumber: true, cell: cost('input') },
    { id: 'sell-out', head: 'Output price', unit: '/ M', isNumber: true, cell: sell('output') },
    { id: 'cost-out', head: 'Output cost', unit: '/ M', isNumber: true, cell: cost('output') },
    {
      id: 'margin',
      head: 'Margin',
      unit: '7 days',
      isNumber: true,
      cell: ({ model }) => {
        const row = marginOf(model.name, margins)
        if (row === undefined) return <Nothing reason="No charged requests in the last seven days" />
        return (
          <span title={`Computed from ${row.calls} charged requests`}>
            {row.marginPercent === null ? (
              <Money micros={row.marginMicros} />
            ) : (
              <span
                data-percent={row.marginPercent}
                className={row.marginPercent.startsWith('-') ? 'text-negative' : undefined}
              >
                {row.marginPercent.replace('-', '\u2212')} %
              </span>
            )}
          </span>
        )
      },
    },
    {
      id: 'health',
      head: 'Health',
      cell: ({ model }) => <State {...healthOfName(model.name, health)} />,
    },
    { id: 'state', head: 'State', cell: ({ model }) => <State {...stateOf(model)} /> },
  ]
}

function Behind({ model: { sources } }: { readonly model: PricedName['model'] }): ReactNode {
  const [first] = sources
  if (!first) return <Nothing reason="No source" />
  const all = sources.map(({ model, provider }) => `${provider} · ${model}`).join('\n')
  return (
    <span className="flex max-w-64 items-baseline gap-1.5" title={all}>
      <bdi className="truncate">
        {first.provider} <span className="text-ink-3">·</span> {first.model}
      </bdi>
      {sources.length > 1 && <span className="shrink-0 text-13 text-ink-3">+{sources.length - 1}</span>}
    </span>
  )
}
