/** Shows one bundle: its included credit, allowed models, prices, limits and end users. */
import { useState, type ReactNode } from 'react'
import type { Bundle } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { Confirm } from '#web/ui/confirm.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Facts } from '#web/ui/layout.tsx'
import { Sheet } from '#web/ui/overlays.tsx'
import { Note, Skeleton } from '#web/ui/state.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Id, Nothing, When } from '#web/ui/values.tsx'
import { useChange } from '../../calls/calls.ts'
import { CopyAs } from '../../copy-as.tsx'
import { OnceRead, useRevised, type Revised } from '../../revised.tsx'
import { useSearchTexts, useSetSearch } from '../../search.ts'
import { useMay } from '../../sign-in/session.ts'
import { BundleForm } from './bundle-form.tsx'
import { BundlePriceForm } from './bundle-price-form.tsx'
import { IncludeForm } from './include-form.tsx'
import { IncludesPart } from './includes-part.tsx'
import { NamesPart } from './names-part.tsx'
import { People } from './people.tsx'
import { PricesPart } from './prices-part.tsx'
import {
  basisWords,
  gatewayDefault,
  leavingWords,
  limitWords,
  policyWords,
  priceWords,
  providerDefault,
  toolWords,
} from './words.ts'

/** The `act` value of each form. */
const forms = new Set(['edit', 'include', 'price', 'credits'])

export function BundleSheet({ slug }: { readonly slug: string }): ReactNode {
  const { act, include, model } = useSearchTexts()
  const setSearch = useSetSearch()
  const query = useRevised('bundles.show', { slug })
  const { data, error, refetch } = query
  const back = (): void => setSearch({ act: null, include: null, model: null })
  const reload = (): void => {
    void refetch()
    back()
  }
  const body = (): ReactNode => {
    if (error)
      return <FailureNote error={error} title="The bundle can't be shown." onRetry={() => void refetch()} />
    if (!data) return <Skeleton className="h-40" />
    if (act !== undefined && forms.has(act))
      return (
        <OnceRead key={act} noun="bundles" query={query}>
          {form}
        </OnceRead>
      )
    return <Shown bundle={data} />
  }
  const form = (bundle: Revised<Bundle>): ReactNode => {
    const ends = { onDone: back, onReload: reload }
    if (act === 'edit') return <BundleForm bundle={bundle} onCancel={back} {...ends} />
    if (act === 'include') {
      const chosen = bundle.value.includes.find((one) => one.slug === include)
      return <IncludeForm bundle={bundle} include={chosen} {...ends} />
    }
    return <BundlePriceForm bundle={bundle} model={model ?? null} inCredits={act === 'credits'} {...ends} />
  }
  const about = {
    include: 'Included credit',
    price: 'Sell price of a model',
    credits: 'Credit price of a model',
  }[act ?? '']
  return (
    <Sheet
      isOpen
      onClose={() => setSearch({ open: null, act: null, include: null, model: null })}
      title={<bdi>{data?.value.displayName ?? slug}</bdi>}
      {...(about !== undefined && { about })}
    >
      {body()}
    </Sheet>
  )
}

function Shown({ bundle: { ifMatch, value: bundle } }: { readonly bundle: Revised<Bundle> }): ReactNode {
  const setSearch = useSetSearch()
  const may = useMay('developer')
  const { slug } = bundle
  const edit = useChange('bundles.edit')
  const decide = (debitBasis: 'sell_price' | 'provider_cost'): void =>
    edit.mutate({ slug, debitBasis, ...ifMatch })
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-center gap-2">
        <Button disabled={!may} onClick={() => setSearch({ act: 'edit' })}>
          Edit bundle
        </Button>
        <Button disabled={!may} onClick={() => setSearch({ act: 'include', include: null })}>
          Add included credit
        </Button>
        <Button disabled={!may} onClick={() => setSearch({ act: 'price', model: null })}>
          Set price
        </Button>
        <CopyAs operation="bundles.show" input={{ slug }} />
      </div>
      {!may && <p className="text-13 text-ink-3">Changing bundles requires the developer role.</p>}
      {bundle.warnings.map(({ code }) => (
        <Note key={code} tone="held" title="End users are charged the provider price">
          <p>
            The bundle has sell prices, but you haven't chosen to charge them. Until you do, the portal shows
            end users the provider prices.
          </p>
          <div className="mt-2 flex flex-wrap gap-2">
            <Button disabled={!may} onClick={() => decide('sell_price')}>
              Charge sell prices
            </Button>
            <Button disabled={!may} onClick={() => decide('provider_cost')}>
              Keep provider prices
            </Button>
          </div>
        </Note>
      ))}
      <Facts
        facts={[
          ['Slug', <Id key="slug" text={slug} />],
          ['Price', priceWords(bundle) ?? <Nothing reason="The bundle is free" />],
          ['End users', <People key="people" slug={slug} />],
          ['Spend limit per end user', limitWords(bundle) ?? <Nothing reason="No limit" />],
          ['Charges', basisWords(bundle)],
          ['Streams', policyWords(bundle)],
          ['When a client disconnects', leavingWords(bundle) ?? providerDefault],
          ['Tools that providers run', toolWords(bundle) ?? gatewayDefault],
          ['Credits', bundle.creditCurrency ?? <Nothing reason="The bundle counts in dollars" />],
          ['New end users', bundle.default ? 'Get this bundle' : 'Get another bundle'],
          ['Created', <When key="made" at={bundle.createdAt} />],
        ]}
      />
      <IncludesPart bundle={bundle} may={may} />
      <NamesPart bundle={bundle} ifMatch={ifMatch} may={may} />
      <PricesPart bundle={bundle} may={may} />
      <Endings bundle={bundle} ifMatch={ifMatch} may={may} />
    </div>
  )
}

function Endings({
  bundle,
  ifMatch,
  may,
}: {
  readonly bundle: Bundle
  readonly ifMatch: { readonly ifMatch?: string }
  readonly may: boolean
}): ReactNode {
  const setSearch = useSetSearch()
  const [isAsked, setAsked] = useState(false)
  const makeDefault = useChange('bundles.default')
  const remove = useChange('bundles.rm')
  const { displayName, slug } = bundle
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-line pt-4">
      {!bundle.default && (
        <>
          <Button
            disabled={!may}
            isBusy={makeDefault.isPending}
            onClick={() => makeDefault.mutate({ slug, ...ifMatch })}
          >
            Make default
          </Button>
          <CopyAs operation="bundles.default" input={{ slug }} />
        </>
      )}
      <Button kind="danger" disabled={!may} onClick={() => setAsked(true)}>
        Delete bundle
      </Button>
      <CopyAs operation="bundles.rm" input={{ slug }} words="Delete as code" />
      {makeDefault.error && <FailureNote error={makeDefault.error} />}
      <Confirm
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={
          <>
            Delete <bdi>{displayName}</bdi>?
          </>
        }
        name={slug}
        action="Delete bundle"
        onConfirm={async () => {
          await remove.mutateAsync({ slug, ...ifMatch })
          toast(`Deleted ${displayName}`)
          setSearch({ open: null, act: null })
        }}
      >
        <p>
          The bundle, its prices and its included credit are deleted. A bundle with end users can't be
          deleted.
        </p>
        <p>Past grants and charges remain on the ledger.</p>
      </Confirm>
    </div>
  )
}
