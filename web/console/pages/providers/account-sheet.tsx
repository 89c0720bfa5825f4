import { type ReactNode } from 'react'
import type { HealthOutput } from '#sdk/generated/operations.ts'
import type { ProviderAccount } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Facts } from '#web/ui/page-head-and-sections.tsx'
import { Note, Skeleton, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Id, Nothing, When } from '#web/ui/formatted-values.tsx'
import { useAllRows } from '../../load-all-rows.ts'
import { useAnswer } from '../../operations/use-operation.ts'
import { ConfirmedChange } from '../../button-with-confirmation.tsx'
import { CopyAs } from '../../copy-as-code.tsx'
import { RevisedSheet } from '../../resource-sheet-with-forms.tsx'
import { useRevised, type Revised } from '../../forms-with-revision.tsx'
import { useSearchTexts, useSetSearch } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { useApp } from '../../shell/application-and-mode-switcher.tsx'
import { Go } from '../../shell/console-links.tsx'
import { AccountModels } from './account-models.tsx'
import { healthOfAccount } from '../../providers/health-words.ts'
import { ClientLeftForm } from './client-disconnect-form.tsx'
import { clientLeftWords } from '../../providers/disconnect-setting-text.ts'
import { kindWords, stateOf, usersOf } from '../../providers/provider-kinds.ts'
import { CostPriceForm } from './cost-price-form.tsx'
import { ProbePart } from '../../providers/probe-account.tsx'
import { RotateForm } from './rotate-api-key-form.tsx'

export function AccountSheet({
  health,
  id,
}: {
  readonly id: string
  readonly health: HealthOutput | undefined
}): ReactNode {
  const { model = null } = useSearchTexts()
  const setSearch = useSetSearch()
  const query = useRevised('providers.show', { id })
  return (
    <RevisedSheet
      query={query}
      noun="providers"
      title={query.data?.value.label ?? id}
      fault="The account couldn't be loaded."
      forms={{
        rotate: {
          about: 'Replace the API key of the account.',
          form: (account, ends) => <RotateForm account={account} {...ends} />,
        },
        price: {
          about: 'Set the price that the provider charges for a model.',
          form: (account, ends) => <CostPriceForm account={account} model={model} {...ends} />,
        },
        leaving: {
          about: 'Choose what happens if a client disconnects during a stream.',
          form: (account, ends) => <ClientLeftForm account={account} {...ends} />,
        },
      }}
      onBack={() => setSearch({ act: null, model: null })}
      onClose={() => setSearch({ open: null, act: null, model: null })}
    >
      {(account) => <Shown account={account} health={health} />}
    </RevisedSheet>
  )
}

function Shown({
  account: { ifMatch, value: account },
  health,
}: {
  readonly account: Revised<ProviderAccount>
  readonly health: HealthOutput | undefined
}): ReactNode {
  const setSearch = useSetSearch()
  const may = useMay('admin')
  const hasApp = useApp() !== null
  const { baseUrl, createdAt, credentialRefused, credentialSetAt, kind, label, lastFour } = account
  const circuits = health?.circuits.filter(({ provider }) => provider === label) ?? []
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-center gap-2">
        {kind !== 'simulator' && (
          <Button disabled={!may} onClick={() => setSearch({ act: 'rotate' })}>
            {lastFour === null ? 'Add API key' : 'Rotate API key'}
          </Button>
        )}
        <Button disabled={!may} onClick={() => setSearch({ act: 'price' })}>
          Set price
        </Button>
        <Button disabled={!may} onClick={() => setSearch({ act: 'leaving' })}>
          Edit disconnect setting
        </Button>
        <CopyAs operation="providers.show" input={{ id: label }} />
      </div>
      {!may && <p className="text-13 text-ink-3">Editing accounts requires the admin role.</p>}
      {credentialRefused !== null && (
        <Note
          tone="negative"
          title="The provider rejects the API key."
          action={
            <Button size="small" disabled={!may} onClick={() => setSearch({ act: 'rotate' })}>
              Rotate API key
            </Button>
          }
        >
          {credentialRefused.refusals} {credentialRefused.refusals === 1 ? 'request was' : 'requests were'}{' '}
          rejected since <When at={credentialRefused.since} isExact />. Requests that use this account go to
          their next source, or fail.
        </Note>
      )}
      {circuits.map(({ model, state, until, why }) => (
        <Note key={model} tone="held" title={`Requests are not routed to ${model}`}>
          <span className="wrap-anywhere">{why}</span>{' '}
          {state === 'half_open' ? (
            'The gateway is testing the model with one request now.'
          ) : (
            <>
              The gateway may test the model with one request <When at={until} isRealTime reason="now" />.
            </>
          )}
        </Note>
      ))}
      <Facts
        facts={[
          ['Status', <AccountState key="state" account={account} health={health} />],
          ['Kind', kindWords(kind)],
          ['Address', baseUrl === null ? <Nothing reason="Built in" /> : <Id key="url" text={baseUrl} />],
          [
            'API key',
            lastFour === null ? (
              <Nothing reason="No API key" />
            ) : (
              <span key="key">
                <code className="text-13">••••{lastFour}</code>, set{' '}
                <When at={credentialSetAt} isRealTime reason="at an unknown time" />
              </span>
            ),
          ],
          ['If a client disconnects', clientLeftWords(account.onClientLeft, kind)],
          ['Connected', <When key="created" at={createdAt} isRealTime />],
          hasApp ? ['Last request', <LastCall key="last" label={label} />] : null,
          hasApp ? ['Last failed request', <LastCall key="failed" label={label} isFailed />] : null,
          ['Last failed probe', <LastProbe key="probe" account={account} />],
        ]}
      />
      <ProbePart account={account} />
      <AccountModels account={account} may={may} />
      <Removal account={account} ifMatch={ifMatch} may={may} />
    </div>
  )
}

function AccountState({
  account,
  health,
}: {
  readonly account: ProviderAccount
  readonly health: HealthOutput | undefined
}): ReactNode {
  const own = healthOfAccount(account.label, health)
  return (
    <span className="flex flex-wrap items-baseline gap-x-3">
      <State {...stateOf(account, own)} />
      {typeof own?.why === 'string' && <span className="text-13 text-ink-2 wrap-anywhere">{own.why}</span>}
    </span>
  )
}

/** Team members and the gateway send probes. The gateway probes an account to which it routes no requests. */
function LastProbe({ account: { lastFailedProbe } }: { readonly account: ProviderAccount }): ReactNode {
  if (lastFailedProbe === null) return <Nothing reason="No failed probes" />
  const { code, message, model, probedAt, said } = lastFailedProbe
  return (
    <span className="flex flex-col gap-1">
      <span>
        <When at={probedAt} isRealTime /> <code className="text-13">{code}</code>
      </span>
      <span className="text-13 text-ink-2 wrap-anywhere">
        <bdi>{model}</bdi>: {said ?? message}
      </span>
    </span>
  )
}

function FailureWords({ id }: { readonly id: string }): ReactNode {
  const { data } = useAnswer('requests.explain', { id })
  const message = data?.refusal?.message
  return typeof message === 'string' ? <p className="text-13 text-ink-2 wrap-anywhere">{message}</p> : null
}

function LastCall({
  isFailed = false,
  label,
}: {
  readonly label: string
  readonly isFailed?: boolean
}): ReactNode {
  const { data, error } = useAnswer('requests.list', {
    provider: label,
    limit: 1,
    ...(isFailed && { statusClass: '5xx' as const }),
  })
  const last = data?.data[0]
  if (error) return <Nothing reason={error.message} />
  if (!last) return <Nothing reason={data ? 'No requests in this mode' : 'Loading'} />
  return (
    <>
      <Go to="/requests/$id" params={{ id: last.id }} className="hover:underline">
        <When at={last.createdAt} />
        {last.errorCode !== null && <code className="ml-2 text-13">{last.errorCode}</code>}
      </Go>
      {last.errorCode !== null && <FailureWords id={last.id} />}
    </>
  )
}

function Removal({
  account: { label },
  ifMatch,
  may,
}: {
  readonly account: ProviderAccount
  readonly ifMatch: { readonly ifMatch?: string }
  readonly may: boolean
}): ReactNode {
  const setSearch = useSetSearch()
  const hasApp = useApp() !== null
  const models = useAllRows('models.list', {}, { isEnabled: hasApp })
  const routers = useAllRows('routers.list', {}, { isEnabled: hasApp })
  const error = models.error ?? routers.error
  const isKnown = !hasApp || (models.data !== undefined && routers.data !== undefined)
  const users = usersOf(label, models.data?.rows ?? [], routers.data?.rows ?? [])
  const isUsed = users.models.length + users.routers.length > 0
  return (
    <section className="border-t border-line pt-4">
      <h3 className="mb-2 text-14 font-semibold">Used by</h3>
      {error && <FailureNote error={error} title="The models and routers couldn't be loaded." />}
      {!isKnown ? (
        !error && <Skeleton className="mb-3 h-5 w-2/3" />
      ) : isUsed ? (
        <ul className="mb-3 flex flex-wrap gap-x-4 gap-y-1 text-14">
          {users.models.map((name) => (
            <li key={`m${name}`} className="max-w-full truncate">
              <Go to="/models" search={{ open: name }} title={name}>
                <bdi>{name}</bdi>
              </Go>
            </li>
          ))}
          {users.routers.map((name) => (
            <li key={`r${name}`} className="max-w-full truncate">
              <Go to="/routers" search={{ open: name }} title={name}>
                <bdi>{name}</bdi>
              </Go>{' '}
              <span className="text-13 text-ink-3">router</span>
            </li>
          ))}
        </ul>
      ) : (
        <p className="mb-3 text-14 text-ink-2">No models or routers of this application use this account.</p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <ConfirmedChange
          operation="providers.rm"
          input={{ id: label }}
          ifMatch={ifMatch}
          action="Disconnect account"
          isDisabled={!may || !isKnown || isUsed}
          title={`Disconnect ${label}?`}
          name={label}
          onDone={() => {
            toast(`Disconnected ${label}`)
            setSearch({ open: null, act: null })
          }}
        >
          <p>The account, its API key and the prices you set on it will be deleted. This can't be undone.</p>
          <p>Past usage remains in reports and on the ledger. The API key remains valid at the provider.</p>
        </ConfirmedChange>
        {isUsed && (
          <span className="text-13 text-ink-2">Remove the account from these models and routers first.</span>
        )}
      </div>
    </section>
  )
}
