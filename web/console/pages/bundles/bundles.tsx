/** Lists bundles with their included credit, allowed names and prices. */
import type { ReactNode } from 'react'
import type { Bundle } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { PageHead } from '#web/ui/layout.tsx'
import { Sheet } from '#web/ui/overlays.tsx'
import { Empty, State } from '#web/ui/state.tsx'
import { Id, Nothing } from '#web/ui/values.tsx'
import { useRows } from '../../calls.ts'
import { CommandLine, CopyAs } from '../../copy-as.tsx'
import { useNames } from '../../name-suggestions.ts'
import { useSearchTexts, useSetSearch } from '../../search.ts'
import { useMay } from '../../session.ts'
import { useSort } from '../../sorting.ts'
import { BundleForm } from './bundle-form.tsx'
import { BundleSheet } from './bundle-sheet.tsx'
import { People } from './people.tsx'
import { amountWords, limitWords, priceWords, reached } from './words.ts'

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
      title={may ? undefined : 'Creating bundles takes the role developer.'}
      onClick={() => setSearch({ act: 'new', open: null })}
    >
      Create a bundle
    </Button>
  )
  return (
    <>
      <PageHead
        title="Bundles"
        about="What people get and pay: the names that they may call, at which prices, and what is included."
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
        onOpen={({ slug }) => setSearch({ open: slug, act: null }, true)}
        isChosen={({ slug }) => slug === open}
        empty={
          <Empty
            title="No bundles yet"
            action={create}
            command={<CommandLine operation="bundles.create" input={{ slug: 'free', displayName: 'Free' }} />}
          >
            <p>
              Everybody who calls is on a bundle: it says which names they reach and at which price. The first
              one becomes that of new people.
            </p>
          </Empty>
        }
      />
      {act === 'new' && (
        <Sheet
          isOpen
          onClose={() => setSearch({ act: null })}
          title="Create a bundle"
          about="It reaches no name until you allow some."
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
      cell: (bundle) =>
        priceWords(bundle) ?? <Nothing reason="It has no price: nobody is billed for being on it" />,
    },
    {
      id: 'includes',
      head: 'Includes',
      cell: ({ creditCurrency, includes }) => {
        const text = includes.map((include) => amountWords(include, creditCurrency)).join(', ')
        return text === '' ? <Nothing reason="It includes nothing" /> : <span title={text}>{text}</span>
      },
    },
    {
      id: 'names',
      head: 'Names',
      isNumber: true,
      cell: (bundle) => {
        const { length } = reached(names, bundle)
        return length === 0 ? <span className="text-held">none</span> : length
      },
    },
    {
      id: 'limit',
      head: 'Limit each',
      isNumber: true,
      cell: (bundle) => limitWords(bundle) ?? <Nothing reason="No limit" />,
    },
    { id: 'people', head: 'People', isNumber: true, cell: ({ slug }) => <People slug={slug} /> },
    {
      id: 'default',
      head: 'New people',
      cell: (bundle) =>
        bundle.default ? (
          <State tone="positive" words="get this" />
        ) : (
          <Nothing reason="They get another one" />
        ),
    },
  ]
}
