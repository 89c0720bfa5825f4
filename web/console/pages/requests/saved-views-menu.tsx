import { useState, type ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import type { Filter, FilterValues } from '#web/ui/filter-suggestions.ts'
import { TextField, useForm } from '#web/ui/form.tsx'
import { Menu } from '#web/ui/dialog-sheet-and-menu.tsx'
import { toast } from '#web/ui/toast.tsx'
import { FormDialog } from '../../form-dialog.tsx'
import { useSetSearch } from '../../url-parameters.ts'
import {
  isSameView,
  readViews,
  viewsMax,
  withView,
  writeViews,
  type SavedView,
} from './read-and-write-saved-views.ts'

export function SavedViews({
  filters,
  values,
}: {
  readonly filters: readonly Filter[]
  readonly values: FilterValues
}): ReactNode {
  const setSearch = useSetSearch()
  const [views, setViews] = useState(() => readViews(localStorage))
  const [isNaming, setNaming] = useState(false)
  const current = views.find((view) => isSameView(view.values, values))
  const hasFilters = Object.keys(values).length > 0
  const keep = (next: readonly SavedView[]): void => {
    writeViews(localStorage, next)
    setViews(next)
  }
  const show = (view: SavedView): void =>
    setSearch(Object.fromEntries(filters.map(({ name }) => [name, view.values[name] ?? null])))
  // Another tab may have changed the stored views since this page was opened.
  const remove = (view: SavedView): void => {
    keep(readViews(localStorage).filter(({ name }) => name !== view.name))
    toast(`Deleted the view ${view.name}.`, {
      words: 'Undo',
      run: () => keep(withView(readViews(localStorage), view)),
    })
  }
  return (
    <>
      <Menu
        trigger={
          <Button size="small" kind="quiet" className="max-w-48">
            <bdi className="truncate">{current?.name ?? 'Views'}</bdi>
          </Button>
        }
        entries={[
          ...views.map((view) => ({
            words: view.name,
            isChosen: view === current,
            onSelect: () => show(view),
          })),
          ...(views.length > 0 ? [null] : []),
          {
            words: hasFilters ? 'Save filters as view' : 'Set filters to save a view',
            isDisabled: !hasFilters || views.length >= viewsMax,
            onSelect: () => setNaming(true),
          },
          ...(current ? [{ words: `Delete view ${current.name}`, onSelect: () => remove(current) }] : []),
        ]}
      />
      {isNaming && (
        <NameView
          onClose={() => setNaming(false)}
          onName={(name) => {
            keep(withView(readViews(localStorage), { name, values }))
            setNaming(false)
          }}
        />
      )}
    </>
  )
}

function NameView({
  onClose,
  onName,
}: {
  readonly onClose: () => void
  readonly onName: (name: string) => void
}): ReactNode {
  const form = useForm({
    draft: null,
    initial: { name: '' },
    check: ({ name }) => (name.trim() === '' ? { name: 'Enter a name.' } : {}),
    send: async ({ name }) => onName(name.trim()),
  })
  return (
    <FormDialog
      onClose={onClose}
      title="Save filters as view"
      about="The view is stored only in this browser."
      form={form}
      action="Save view"
    >
      <TextField form={form} name="name" label="Name" maxLength={60} placeholder="Rejected today" />
    </FormDialog>
  )
}
