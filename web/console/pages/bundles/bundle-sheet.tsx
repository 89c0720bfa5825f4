import { type ReactNode } from 'react'
import type { Bundle } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Facts } from '#web/ui/page-head-and-sections.tsx'
import { Note } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Id, Nothing, When } from '#web/ui/formatted-values.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { ConfirmedChange } from '../../button-with-confirmation.tsx'
import { CopyAs } from '../../copy-as-code.tsx'
import { LimitsSection } from '../../limits/limits-section.tsx'
import { RevisedSheet } from '../../resource-sheet-with-forms.tsx'
import { useRevised, type Revised } from '../../forms-with-revision.tsx'
import { useSearchTexts, useSetSearch } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { BundleForm } from './bundle-form.tsx'
import { BundlePriceForm } from './bundle-price-form.tsx'
import { IncludeForm } from './include-form.tsx'
import { IncludesPart } from './included-pools-part.tsx'
import { NamesPart } from './allowed-models-part.tsx'
import { People } from './end-users-of-bundle.tsx'
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
} from './bundle-in-words.ts'

export function BundleSheet({ slug }: { readonly slug: string }): ReactNode {
  const { include, model = null } = useSearchTexts()
  const setSearch = useSetSearch()
  const query = useRevised('bundles.show', { slug })
  const back = (): void => setSearch({ act: null, include: null, model: null })
  return (
    <RevisedSheet
      query={query}
      noun="bundles"
      title={query.data?.value.displayName ?? slug}
      fault="The bundle can't be shown."
      forms={{
        edit: { form: (bundle, ends) => <BundleForm bundle={bundle} onCancel={back} {...ends} /> },
        include: {
          about: 'Included credit',
          form: (bundle, ends) => {
            const chosen = bundle.value.includes.find((one) => one.slug === include)
            return <IncludeForm bundle={bundle} include={chosen} {...ends} />
          },
        },
        price: {
          about: 'Sell price of a model',
          form: (bundle, ends) => (
            <BundlePriceForm bundle={bundle} model={model} inCredits={false} {...ends} />
          ),
        },
        credits: {
          about: 'Credit price of a model',
          form: (bundle, ends) => <BundlePriceForm bundle={bundle} model={model} inCredits {...ends} />,
        },
      }}
      onBack={back}
      onClose={() => setSearch({ open: null, act: null, include: null, model: null })}
    >
      {(bundle) => <Shown bundle={bundle} />}
    </RevisedSheet>
  )
}

function Shown({ bundle: { ifMatch, value: bundle } }: { readonly bundle: Revised<Bundle> }): ReactNode {
  const setSearch = useSetSearch()
  const may = useMay('developer')
  const { slug } = bundle
  const edit = useChange('bundles.edit')
  const choose = useChange('bundles.edit')
  const decide = (debitBasis: 'sell_price' | 'provider_cost'): void =>
    choose.mutate({ slug, debitBasis, ...ifMatch })
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
            The bundle has sell prices, but you haven't chosen which prices end users are charged. Until you
            choose, the portal also shows end users the provider prices.
          </p>
          <div className="mt-2 flex flex-wrap gap-2">
            <Button disabled={!may} isBusy={choose.isPending} onClick={() => decide('sell_price')}>
              Charge sell prices
            </Button>
            <Button disabled={!may} isBusy={choose.isPending} onClick={() => decide('provider_cost')}>
              Charge provider prices
            </Button>
          </div>
        </Note>
      ))}
      {choose.error && <FailureNote error={choose.error} />}
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
          [
            'Credits',
            bundle.creditCurrency ?? (
              <Nothing reason="The bundle has no credits. All amounts are in dollars" />
            ),
          ],
          ['Default', `New end users are put on ${bundle.default ? 'this' : 'another'} bundle`],
          ['Created', <When key="made" at={bundle.createdAt} isRealTime />],
        ]}
      />
      <LimitsSection
        title={
          <>
            Limits of <bdi>{bundle.displayName}</bdi>
          </>
        }
        about="Limits that apply to each end user of this bundle, across all keys."
        empty="No limits on requests or tokens."
        note="The limits count only usage after you save them."
        limits={bundle.limits}
        mayChange={may}
        ifMatch={ifMatch}
        save={(limits, revision) => edit.mutateAsync({ slug, limits, ...revision })}
        operation="bundles.edit"
        inputOf={(next) => ({ slug, limits: next })}
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
  const makeDefault = useChange('bundles.default')
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
      <ConfirmedChange
        operation="bundles.rm"
        input={{ slug }}
        ifMatch={ifMatch}
        action="Delete bundle"
        isDisabled={!may}
        code="API request to delete the bundle"
        title={
          <>
            Delete <bdi>{displayName}</bdi>?
          </>
        }
        name={slug}
        onDone={() => {
          toast(`Deleted ${displayName}`)
          setSearch({ open: null, act: null })
        }}
      >
        <p>
          The bundle, its prices and its included credit are deleted. A bundle with end users can't be
          deleted.
        </p>
        <p>Past grants and charges remain on the ledger.</p>
      </ConfirmedChange>
      {makeDefault.error && <FailureNote error={makeDefault.error} />}
    </div>
  )
}
