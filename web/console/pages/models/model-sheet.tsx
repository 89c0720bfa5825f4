import { type ReactNode } from 'react'
import type { HealthOutput } from '#sdk/generated/operations.ts'
import type { Bundle, MarginRow, Model } from '#sdk/generated/types.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { ButtonText } from '#web/ui/button-text.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Facts } from '#web/ui/page-head-and-sections.tsx'
import { Note, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Count, Id, Money, Nothing, When } from '#web/ui/formatted-values.tsx'
import { ConfirmedChange } from '../../button-with-confirmation.tsx'
import { useAccountPrices } from '../../providers/account-price-queries.ts'
import { useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { RevisedSheet } from '../../resource-sheet-with-forms.tsx'
import { useRevised } from '../../forms-with-revision.tsx'
import { healthOfName } from '../../providers/health-words.ts'
import { useSetSearch } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { Go } from '../../shell/console-links.tsx'
import { pricedName, sourcesTitle, stateOf } from './price-list-rows.ts'
import { RatesTable } from './rates-of-model-table.tsx'
import { SellPriceForm } from './sell-price-form.tsx'
import { SourceForm } from './model-sources-form.tsx'

export function ModelSheet({
  bundle,
  health,
  margin,
  name,
  onStep,
}: {
  readonly name: string
  readonly bundle: Bundle | undefined
  readonly health: HealthOutput | undefined
  readonly margin: MarginRow | undefined
  readonly onStep: (by: 1 | -1) => void
}): ReactNode {
  const setSearch = useSetSearch()
  const back = (): void => setSearch({ act: null })
  return (
    <RevisedSheet<Model>
      query={useRevised('models.show', { name })}
      noun="models"
      title={name}
      fault="The model can't be shown."
      forms={{
        sources: {
          about: 'Sources',
          form: ({ ifMatch, value }, ends) => (
            <SourceForm model={value} ifMatch={ifMatch} onCancel={back} {...ends} />
          ),
        },
        ...(bundle && {
          price: {
            about: `Sell price in the bundle ${bundle.slug}`,
            form: ({ value }) => <SellPriceForm model={value} slug={bundle.slug} onDone={back} />,
          },
        }),
      }}
      onBack={back}
      onClose={() => setSearch({ open: null, act: null })}
      onStep={onStep}
    >
      {({ ifMatch, value }) => (
        <Shown model={value} bundle={bundle} health={health} margin={margin} ifMatch={ifMatch} />
      )}
    </RevisedSheet>
  )
}

function Shown({
  bundle,
  health,
  ifMatch,
  margin,
  model,
}: {
  readonly model: Model
  readonly bundle: Bundle | undefined
  readonly health: HealthOutput | undefined
  readonly margin: MarginRow | undefined
  readonly ifMatch: { readonly ifMatch?: string }
}): ReactNode {
  const setSearch = useSetSearch()
  const may = useMay('developer')
  const accounts = useAccountPrices(model.sources.map(({ provider }) => provider))
  const line = pricedName(model, accounts.priceOf, bundle)
  const own = health?.windows.at(-1)?.models.find(({ requestedModel }) => requestedModel === model.name)
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-center gap-2">
        <Go
          to="/playground"
          search={{ model: model.name }}
          className={`${buttonClass('primary')} max-w-full`}
        >
          <ButtonText>Test {short(model.name)}</ButtonText>
        </Go>
        <Button disabled={!may} onClick={() => setSearch({ act: 'sources' })}>
          Edit sources
        </Button>
        <Button className="max-w-full" disabled={!may || !bundle} onClick={() => setSearch({ act: 'price' })}>
          <ButtonText>{bundle ? `Set price in ${bundle.slug}` : 'Set price'}</ButtonText>
        </Button>
        <Go to="/routers" search={{ plan: model.name }} className={buttonClass()}>
          Plan request
        </Go>
        <CopyAs operation="models.show" input={{ name: model.name }} />
      </div>
      {!may && <p className="text-13 text-ink-3">Editing models requires the developer role.</p>}
      {model.problems.length > 0 && (
        <Note
          tone={model.status === 'serving' ? 'held' : 'negative'}
          title={problemsTitle(model)}
          action={<Go to="/providers">View providers</Go>}
        >
          <ul className="list-disc pl-5 wrap-anywhere">
            {model.problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Note>
      )}
      <Facts
        facts={[
          ['State', <State key="state" {...stateOf(model)} />],
          [
            'Margin, 7 days',
            margin ? (
              <span key="margin">
                <Money micros={margin.marginMicros} signed /> of <Money micros={margin.revenueMicros} />{' '}
                revenue
                {margin.marginPercent !== null && ` (${margin.marginPercent.replace('-', '\u2212')} %)`}
              </span>
            ) : (
              <Nothing reason="No charged requests in the last seven days" />
            ),
          ],
          [
            'Health, 24 hours',
            <span key="health" className="flex flex-wrap items-center gap-x-3">
              <State {...healthOfName(model.name, health)} />
              {own && own.calls > 0 && (
                <span className="text-13 text-ink-2">
                  <Count of={own.failed.provider + own.failed.ours} /> of <Count of={own.calls} /> requests
                  failed at the provider or in Tollgate
                </span>
              )}
            </span>,
          ],
          [
            'Output hold',
            model.ceilings.outputTokens === undefined ? (
              <Nothing reason="The gateway's default" />
            ) : (
              <span key="ceiling">
                <Count of={model.ceilings.outputTokens} /> tokens
              </span>
            ),
          ],
          ['Added', <When key="added" at={model.createdAt} isRealTime />],
        ]}
      />
      <div>
        <h3 className="mb-2 text-14 font-semibold">{sourcesTitle}</h3>
        <ol className="flex flex-col">
          {model.sources.map((source, at) => {
            const price = accounts.priceOf(source)
            return (
              // oxlint-disable-next-line react/no-array-index-key -- a source has no ID
              <li key={at} className="flex flex-wrap items-baseline gap-x-3 border-b border-line py-2">
                <span className="figures text-ink-3">{at + 1}</span>
                <Go to="/providers" search={{ open: source.provider }} className="hover:underline">
                  <bdi className="wrap-anywhere">{source.provider}</bdi>
                </Go>
                <Id text={source.model} className="max-w-72" />
                <span className="ml-auto text-13 text-ink-2">{pricedWords(price, accounts.isReady)}</span>
              </li>
            )
          })}
        </ol>
      </div>
      <RatesTable line={line} bundle={bundle} />
      <Endings model={model} ifMatch={ifMatch} may={may} />
    </div>
  )
}

function pricedWords(
  price: ReturnType<ReturnType<typeof useAccountPrices>['priceOf']>,
  isReady: boolean,
): string {
  if (!isReady) return ''
  if (!price) return 'No price'
  if (price.missing.length > 0) return `No price for ${price.missing.join(', ')}`
  return price.pricedBy === 'account' ? 'Custom price' : 'Published price'
}

function Endings({
  ifMatch,
  may,
  model,
}: {
  readonly model: Model
  readonly ifMatch: { readonly ifMatch?: string }
  readonly may: boolean
}): ReactNode {
  const setSearch = useSetSearch()
  const enable = useChange('models.enable')
  const { name } = model
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-line pt-4">
      {model.status === 'disabled' ? (
        <>
          <Button
            isBusy={enable.isPending}
            disabled={!may}
            onClick={() => enable.mutate({ name, ...ifMatch })}
          >
            Enable model
          </Button>
          <CopyAs operation="models.enable" input={{ name }} />
        </>
      ) : (
        <ConfirmedChange
          operation="models.disable"
          input={{ name }}
          ifMatch={ifMatch}
          action="Disable model"
          kind="plain"
          isDisabled={!may}
          title={
            <>
              Disable <bdi>{name}</bdi>?
            </>
          }
          onDone={() => toast(`Disabled ${name}`)}
        >
          <p>New requests to this model will be rejected. Requests in flight are not affected.</p>
          <p>The model, its sources and its prices are kept. You can enable the model again.</p>
        </ConfirmedChange>
      )}
      <ConfirmedChange
        operation="models.rm"
        input={{ name }}
        ifMatch={ifMatch}
        action="Delete model"
        isDisabled={!may}
        code="API request to delete the model"
        title={
          <>
            Delete <bdi>{name}</bdi>?
          </>
        }
        onDone={() => {
          toast(`Deleted ${name}`)
          setSearch({ open: null, act: null })
        }}
      >
        <p>
          The model and its prices in all bundles are deleted. New requests to the model will be rejected.
        </p>
        <p>Past usage and ledger entries are kept.</p>
      </ConfirmedChange>
      {enable.error && <FailureNote error={enable.error} />}
    </div>
  )
}

function short(name: string): string {
  return name.length > 24 ? 'model' : name
}

function problemsTitle({ status }: Pick<Model, 'status'>): string {
  if (status === 'serving') return 'Some sources can’t be used'
  return status === 'test_only' ? 'Live requests are rejected' : 'Requests are rejected'
}
