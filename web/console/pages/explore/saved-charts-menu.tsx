import { useState, type ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { FormBody, TextField, useForm } from '#web/ui/form.tsx'
import { DownIcon } from '#web/ui/icons.tsx'
import { Dialog, Menu } from '#web/ui/dialog-sheet-and-menu.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useSearchTexts, useSetSearch, type SearchTexts } from '../../url-parameters.ts'
import { chartNames } from './settings-in-explore-url.ts'
import { chartsOf, chartOf, textOfCharts, type SavedChart } from './read-and-write-saved-charts.ts'

const key = 'tollgate charts'

export function SavedCharts(): ReactNode {
  const search = useSearchTexts()
  const setSearch = useSetSearch()
  const [charts, setCharts] = useState(storedCharts)
  const [isNaming, setNaming] = useState(false)
  const keep = (next: readonly SavedChart[]): void => {
    localStorage.setItem(key, textOfCharts(next))
    setCharts(next)
  }
  // Another tab may have changed the stored charts since this page was opened.
  const keepAll = (chart: SavedChart): void => keep([...without(storedCharts(), chart.name), chart])
  const show = (chart: SearchTexts): void =>
    setSearch(Object.fromEntries(chartNames.map((name) => [name, chart[name] ?? null])))
  const here = JSON.stringify(chartOf(search))
  const current = charts.find(({ search: one }) => JSON.stringify(one) === here)
  return (
    <>
      <Menu
        trigger={
          <Button>
            <bdi className="max-w-40 truncate">{current?.name ?? 'Saved charts'}</bdi>
            <DownIcon />
          </Button>
        }
        entries={[
          ...charts.map(({ name, search: one }) => ({
            words: name,
            isChosen: name === current?.name,
            onSelect: () => show(one),
          })),
          ...(charts.length > 0 ? [null] : []),
          { words: 'Save chart', onSelect: () => setNaming(true) },
          ...(current
            ? [
                {
                  words: `Delete ${current.name}`,
                  isDanger: true,
                  onSelect: () => {
                    keep(without(storedCharts(), current.name))
                    toast(`Deleted ${current.name}`, { words: 'Undo', run: () => keepAll(current) })
                  },
                },
              ]
            : []),
        ]}
      />
      {isNaming && (
        <Dialog
          isOpen
          onClose={() => setNaming(false)}
          title="Save chart"
          about="Saves the metric, groups, interval and filters in this browser. The time range is not saved. To share a chart with its range, copy the page's URL."
        >
          <NameForm
            taken={charts.map(({ name }) => name)}
            onCancel={() => setNaming(false)}
            onName={(name) => {
              keepAll({ name, search: chartOf(search) })
              setNaming(false)
              toast(`Saved ${name}`)
            }}
          />
        </Dialog>
      )}
    </>
  )
}

function storedCharts(): readonly SavedChart[] {
  return chartsOf(localStorage.getItem(key))
}

function without(charts: readonly SavedChart[], name: string): readonly SavedChart[] {
  return charts.filter((chart) => chart.name !== name)
}

function NameForm({
  onCancel,
  onName,
  taken,
}: {
  readonly taken: readonly string[]
  readonly onName: (name: string) => void
  readonly onCancel: () => void
}): ReactNode {
  const form = useForm({
    draft: null,
    initial: { name: '' },
    check: ({ name }) => (name.trim() === '' ? { name: 'Enter a name.' } : {}),
    send: async ({ name }) => onName(name.trim()),
  })
  const isTaken = taken.includes(form.values.name.trim())
  return (
    <FormBody form={form} action={isTaken ? 'Replace chart' : 'Save chart'} onCancel={onCancel}>
      <TextField
        form={form}
        name="name"
        label="Name"
        maxLength={60}
        {...(isTaken && { help: 'A chart with this name exists and will be replaced.' })}
      />
    </FormBody>
  )
}
