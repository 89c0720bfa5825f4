import type { ReactNode } from 'react'
import type { Bundle } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { Sheet } from '#web/ui/dialog-sheet-and-menu.tsx'
import { Empty, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { Id, Nothing } from '#web/ui/formatted-values.tsx'
import { useRows } from '../../operations/use-operation.ts'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { useNames } from '../../name-suggestions.ts'
import { useSearchTexts, useSetSearch } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { useSort } from '../../sorting-in-url.ts'
import { BundleForm } from './bundle-form.tsx'
import { BundleSheet } from './bundle-sheet.tsx'
import { People } from './end-users-of-bundle.tsx'
import { amountWords, limitWords, priceWords, reached } from './bundle-in-words.ts'

export default function Bundles(): ReactNode {
  const { act, open } = useSearchTexts()
  const setSearch = useSetSearch()
  const may = useMay('developer')
  const [sort, order] = useSort(['created', 'name'])
  const list = useRows('bundles.list', { ...order, limit: 100 })
  const names = useNames()
  const create = (
    <Button
      kind="primary"
      disabled={!may}
      title={may ? undefined : 'Creating bundles requires the developer role.'}
      onClick={() => setSearch({ act: 'new', open: null })}
    >
      Create bundle
    </Button>
  )
  return (
    <>
      <PageHead
        title="Bundles"
        about="Plans for end users, with the models they can use, prices and included credit."
        action={
          <>
            <CopyAs operation="bundles.list" />
            {create}
          </>
        }
      />
      <DataTable
        label="Bundles"
        name="bundles"
        columns={columnsOf(names)}
        rows={list}
        sort={sort}
        rowKey={({ slug }) => slug}
        onOpen={({ slug }) => setSearch({ open: slug, act: null })}
        isChosen={({ slug }) => slug === open}
        empty={
          <Empty
            title="No bundles yet"
            action={create}
            command={<CommandLine operation="bundles.create" input={{ slug: 'free', displayName: 'Free' }} />}
          >
            <p>
              Every end user is on a bundle, which defines the models they can use and the prices. Your first
              bundle becomes the default for new end users.
            </p>
          </Empty>
        }
      />
      {act === 'new' && (
        <Sheet
          isOpen
          onClose={() => setSearch({ act: null })}
          title="Create bundle"
          about="End users on the bundle can't use any model until you allow models."
        >
          <BundleForm
            onCancel={() => setSearch({ act: null })}
            onDone={(slug) => setSearch({ act: null, open: slug })}
          />
        </Sheet>
      )}
      {open !== undefined && act !== 'new' && <BundleSheet key={open} slug={open} />}
    </>
  )
}

function columnsOf(names: readonly string[]): readonly Column<Bundle>[] {
  return [
    {
      id: 'bundle',
      head: 'Bundle',
      sort: { by: 'name', isRising: true },
      cell: ({ displayName }) => (
        <bdi className="max-w-56 truncate" title={displayName}>
          {displayName}
        </bdi>
      ),
    },
    {
      id: 'slug',
      head: 'Slug',
      cell: ({ slug }) => <Id text={slug} className="max-w-40" />,
    },
    {
      id: 'price',
      head: 'Price',
      isNumber: true,
      cell: (bundle) => (
        <span className="whitespace-nowrap">
          {priceWords(bundle) ?? <span className="text-ink-2">Free</span>}
        </span>
      ),
    },
    {
      id: 'includes',
      head: 'Includes',
      cell: ({ creditCurrency, includes }) => {
        const text = includes.map((include) => amountWords(include, creditCurrency)).join(', ')
        return text === '' ? <Nothing reason="No included credit" /> : <span title={text}>{text}</span>
      },
    },
    {
      id: 'names',
      head: 'Models',
      isNumber: true,
      cell: (bundle) => {
        const { length } = reached(names, bundle)
        return length === 0 ? <span className="text-held">none</span> : length
      },
    },
    {
      id: 'limit',
      head: 'Spend limit',
      isNumber: true,
      cell: (bundle) => (
        <span className="whitespace-nowrap">{limitWords(bundle) ?? <Nothing reason="No limit" />}</span>
      ),
    },
    { id: 'people', head: 'End users', isNumber: true, cell: ({ slug }) => <People slug={slug} /> },
    {
      id: 'default',
      head: 'Default',
      cell: (bundle) =>
        bundle.default ? (
          <State tone="positive" words="default" />
        ) : (
          <Nothing reason="New end users are put on another bundle" />
        ),
    },
  ]
}
