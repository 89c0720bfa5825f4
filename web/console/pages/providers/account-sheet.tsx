/** One account: its credential, a probe, what it is charged, and what depends on it. */
import { useState, type ReactNode } from 'react'
import type { HealthOutput } from '#sdk/generated/operations.ts'
import type { ProviderAccount } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { Confirm } from '#web/ui/confirm.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Facts } from '#web/ui/layout.tsx'
import { Sheet } from '#web/ui/overlays.tsx'
import { Note, Skeleton, State } from '#web/ui/state.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Id, Nothing, When } from '#web/ui/values.tsx'
import { useAllRows } from '../../all-rows.ts'
import { useAnswer, useChange } from '../../calls.ts'
import { CopyAs } from '../../copy-as.tsx'
import { OnceRead, useRevised, type Revised } from '../../revised.tsx'
import { useSearchTexts, useSetSearch } from '../../search.ts'
import { useMay } from '../../session.ts'
import { useApp } from '../../shell/app-switcher.tsx'
import { Go } from '../../shell/go.tsx'
import { AccountModels } from './account-models.tsx'
import { healthOfAccount } from '../../health-words.ts'
import { ClientLeftForm } from './client-left-form.tsx'
import { clientLeftWords } from '../../client-left.ts'
import { kindWords, stateOf, usersOf } from '../../provider-kinds.ts'
import { CostPriceForm } from './cost-price-form.tsx'
import { ProbePart } from '../../probe.tsx'
import { RotateForm } from './rotate-form.tsx'

export function AccountSheet({
  health,
  id,
}: {
  readonly id: string
  readonly health: HealthOutput | undefined
}): ReactNode {
  const { act, model } = useSearchTexts()
  const setSearch = useSetSearch()
  const query = useRevised('providers.show', { id })
  const { data, error, refetch } = query
  const back = (): void => setSearch({ act: null, model: null })
  const reload = (): void => {
    void refetch()
    back()
  }
  const about = {
    rotate: 'Another key for the account.',
    price: 'What the account is charged for a model.',
    leaving: 'What happens to a stream when the client leaves.',
  }[act ?? '']
  return (
    <Sheet
      isOpen
      onClose={() => setSearch({ open: null, act: null, model: null })}
      title={<bdi>{data?.value.label ?? id}</bdi>}
      {...(about !== undefined && { about })}
    >
      {error ? (
        <FailureNote error={error} title="It cannot be shown." onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton className="h-40" />
      ) : act === 'rotate' || act === 'price' || act === 'leaving' ? (
        <OnceRead key={act} noun="providers" query={query}>
          {(account) =>
            act === 'rotate' ? (
              <RotateForm account={account} onDone={back} onReload={reload} />
            ) : act === 'leaving' ? (
              <ClientLeftForm account={account} onDone={back} onReload={reload} />
            ) : (
              <CostPriceForm account={account} model={model ?? null} onDone={back} onReload={reload} />
            )
          }
        </OnceRead>
      ) : (
        <Shown account={data} health={health} />
      )}
    </Sheet>
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
            {lastFour === null ? 'Give it a key' : 'Rotate its key'}
          </Button>
        )}
        <Button disabled={!may} onClick={() => setSearch({ act: 'price' })}>
          Set a price
        </Button>
        <Button disabled={!may} onClick={() => setSearch({ act: 'leaving' })}>
          Edit streams
        </Button>
        <CopyAs operation="providers.show" input={{ id: label }} />
      </div>
      {!may && <p className="text-13 text-ink-3">Changing accounts takes the role admin.</p>}
      {credentialRefused !== null && (
        <Note
          tone="negative"
          title="The provider refuses its key."
          action={
            <Button size="small" disabled={!may} onClick={() => setSearch({ act: 'rotate' })}>
              Rotate its key
            </Button>
          }
        >
          {credentialRefused.refusals} {credentialRefused.refusals === 1 ? 'request was' : 'requests were'}{' '}
          rejected since <When at={credentialRefused.since} />. Calls of names that lead here go to their next
          source, or fail.
        </Note>
      )}
      {circuits.map(({ model, state, until, why }) => (
        <Note key={model} tone="held" title={`Calls are kept away from ${model}`}>
          <span className="wrap-anywhere">{why}</span>{' '}
          {state === 'half_open' ? (
            'One call tries it now.'
          ) : (
            <>
              One call may try again <When at={until} reason="now" />.
            </>
          )}
        </Note>
      ))}
      <Facts
        facts={[
          ['State', <AccountState key="state" account={account} health={health} />],
          ['Kind', kindWords(kind)],
          [
            'Address',
            baseUrl === null ? <Nothing reason="It is built in" /> : <Id key="url" text={baseUrl} />,
          ],
          [
            'Key',
            lastFour === null ? (
              <Nothing reason="It has no key" />
            ) : (
              <span key="key">
                <code className="text-13">••••{lastFour}</code>, set{' '}
                <When at={credentialSetAt} reason="at a time that is not known" />
              </span>
            ),
          ],
          ['When a client leaves', clientLeftWords(account.onClientLeft, kind)],
          ['Connected', <When key="created" at={createdAt} />],
          hasApp ? ['Last call', <LastCall key="last" label={label} />] : null,
          hasApp ? ['Last call that failed', <LastCall key="failed" label={label} isFailed />] : null,
          ['Last probe that failed', <LastProbe key="probe" account={account} />],
        ]}
      />
      <ProbePart account={account} />
      <AccountModels account={account} may={may} />
      <Removal account={account} ifMatch={ifMatch} may={may} />
    </div>
  )
}

/** With the reason in words, where something is wrong. */
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

/** Sent by a member, or by the gateway while calls are kept away from the account. */
function LastProbe({ account: { lastFailedProbe } }: { readonly account: ProviderAccount }): ReactNode {
  if (lastFailedProbe === null) return <Nothing reason="No probe of it has failed" />
  const { code, message, model, probedAt, said } = lastFailedProbe
  return (
    <span className="flex flex-col gap-1">
      <span>
        <When at={probedAt} /> <code className="text-13">{code}</code>
      </span>
      <span className="text-13 text-ink-2 wrap-anywhere">
        <bdi>{model}</bdi>: {said ?? message}
      </span>
    </span>
  )
}

/** What the failed call says of its failure. */
function FailureWords({ id }: { readonly id: string }): ReactNode {
  const { data } = useAnswer('requests.explain', { id })
  const message = data?.refusal?.message
  return typeof message === 'string' ? <p className="text-13 text-ink-2 wrap-anywhere">{message}</p> : null
}

/** The newest call of the application and mode that the account answered, or would have. */
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
  if (!last) return <Nothing reason={data ? 'There is none in this mode' : 'Being looked up'} />
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
  const [isAsked, setAsked] = useState(false)
  const remove = useChange('providers.rm', { touches: ['onboarding', 'doctor', 'health', 'models'] })
  const hasApp = useApp() !== null
  const models = useAllRows('models.list', {}, { isEnabled: hasApp })
  const routers = useAllRows('routers.list', {}, { isEnabled: hasApp })
  const error = models.error ?? routers.error
  const isKnown = !hasApp || (models.data !== undefined && routers.data !== undefined)
  const users = usersOf(label, models.data?.rows ?? [], routers.data?.rows ?? [])
  const isUsed = users.models.length + users.routers.length > 0
  return (
    <section className="border-t border-line pt-4">
      <h3 className="mb-2 text-14 font-semibold">What depends on it</h3>
      {error && <FailureNote error={error} title="It cannot be looked up." />}
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
        <p className="mb-3 text-14 text-ink-2">No name of this application leads to it.</p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button kind="danger" disabled={!may || !isKnown || isUsed} onClick={() => setAsked(true)}>
          Disconnect the account
        </Button>
        <CopyAs operation="providers.rm" input={{ id: label }} />
        {isUsed && <span className="text-13 text-ink-2">Point those names elsewhere first.</span>}
      </div>
      <Confirm
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={`Disconnect ${label}?`}
        name={label}
        action="Disconnect the account"
        onConfirm={async () => {
          await remove.mutateAsync({ id: label, ...ifMatch })
          toast(`Disconnected ${label}`)
          setSearch({ open: null, act: null })
        }}
      >
        <p>
          The account, its key and the prices that were set on it are forgotten. They cannot be brought back.
        </p>
        <p>
          What was used through it stays in usage and on the ledger. The key itself stays valid at the
          provider.
        </p>
      </Confirm>
    </section>
  )
}
