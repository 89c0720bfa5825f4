/** One router: how it chooses, its targets with their conditions, and how long it tries. */
import { useState, type ReactNode } from 'react'
import type { Router, RouterTargetState } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { Confirm } from '#web/ui/confirm.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Facts } from '#web/ui/layout.tsx'
import { Sheet } from '#web/ui/overlays.tsx'
import { Skeleton, State } from '#web/ui/state.tsx'
import { toast } from '#web/ui/toast.tsx'
import { When } from '#web/ui/values.tsx'
import { useAnswer, useChange } from '../../calls.ts'
import { CopyAs } from '../../copy-as.tsx'
import { healthOfName } from '../../health-words.ts'
import { useNamedCall } from '../../operation-input.ts'
import { OnceRead, useRevised, type Revised } from '../../revised.tsx'
import { useSearchTexts, useSetSearch } from '../../search.ts'
import { useMay } from '../../session.ts'
import { Go } from '../../shell/go.tsx'
import {
  attemptsWords,
  policySentence,
  policyWords,
  shareWords,
  targetWords,
  timeoutsWords,
  whenWords,
} from './policy-words.ts'
import { RouterForm } from './router-form.tsx'

export function RouterSheet({ name }: { readonly name: string }): ReactNode {
  const { act } = useSearchTexts()
  const setSearch = useSetSearch()
  const query = useRevised('routers.show', { name })
  const { data, error, refetch } = query
  const back = (): void => setSearch({ act: null })
  return (
    <Sheet
      isOpen
      onClose={() => setSearch({ open: null, act: null })}
      title={<bdi>{name}</bdi>}
      {...(act === 'edit' && { about: 'It is replaced whole, from the next call on.' })}
    >
      {error ? (
        <FailureNote error={error} title="It cannot be shown." onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton className="h-40" />
      ) : act === 'edit' ? (
        <OnceRead noun="routers" query={query}>
          {(router) => (
            <RouterForm
              router={router}
              onCancel={back}
              onDone={back}
              onReload={() => {
                void refetch()
                back()
              }}
            />
          )}
        </OnceRead>
      ) : (
        <Shown router={data} />
      )}
    </Sheet>
  )
}

function Shown({ router: { ifMatch, value: router } }: { readonly router: Revised<Router> }): ReactNode {
  const setSearch = useSetSearch()
  const may = useMay('developer')
  const { attempts, createdAt, name, policy, serving, targets } = router
  const weights = targets.map(({ weight }) => weight)
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-center gap-2">
        <Button kind="primary" onClick={() => setSearch({ plan: name, act: null })}>
          Plan a call
        </Button>
        <Button disabled={!may} onClick={() => setSearch({ act: 'edit' })}>
          Change the router
        </Button>
        <CopyAs operation="routers.show" input={{ name }} />
      </div>
      {!may && <p className="text-13 text-ink-3">Changing routers takes the role developer.</p>}
      <Facts
        facts={[
          [
            'State',
            serving ? (
              <RouterHealth key="state" name={name} />
            ) : (
              <State key="state" tone="negative" words="Every call is refused: no target can be taken" />
            ),
          ],
          [policyWords(policy), policySentence(router)],
          ['Tries', attemptsWords(router)],
          ['Deadlines', timeoutsWords(attempts.timeouts) ?? 'Those of the gateway'],
          attempts.alsoMovesOn.length > 0 ? ['Also moves on at', attempts.alsoMovesOn.join(', ')] : null,
          attempts.neverMovesOn.length > 0 ? ['Never moves on at', attempts.neverMovesOn.join(', ')] : null,
          ['Built', <When key="built" at={createdAt} />],
        ]}
      />
      <div>
        <h3 className="mb-1 text-14 font-semibold">Targets</h3>
        <ol>
          {targets.map((target, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- a target has nothing but its place
            <li key={at} className="flex gap-3 border-b border-line py-2 text-14">
              <span className="figures w-5 shrink-0 text-ink-3">{at + 1}</span>
              <div className="min-w-0 flex-1">
                <p className="flex flex-wrap items-baseline justify-between gap-x-3">
                  <TargetLink target={target} />
                  {policy === 'weighted' && (
                    <span className="figures text-ink-2">{shareWords(target.weight, weights)}</span>
                  )}
                </p>
                <p className="text-13 text-ink-2 wrap-anywhere">{aboutTarget(target)}</p>
                {target.problem && <Problem problem={target.problem} />}
              </div>
            </li>
          ))}
        </ol>
      </div>
      <Removal name={name} ifMatch={ifMatch} may={may} />
    </div>
  )
}

function RouterHealth({ name }: { readonly name: string }): ReactNode {
  const { data } = useAnswer('health', { window: '24h' })
  const words = healthOfName(name, data)
  return (
    <span className="flex flex-wrap items-baseline gap-x-3">
      <State {...words} />
      <span className="text-13 text-ink-2 wrap-anywhere">{words.title}</span>
    </span>
  )
}

function TargetLink({ target }: { readonly target: RouterTargetState }): ReactNode {
  const words = <bdi className="wrap-anywhere">{targetWords(target)}</bdi>
  if (target.alias !== undefined)
    return (
      <Go to="/models" search={{ open: target.alias }} className="font-medium hover:underline">
        {words}
      </Go>
    )
  if (target.router !== undefined)
    return (
      <Go to="/routers" search={{ open: target.router }} className="font-medium hover:underline">
        {words}
      </Go>
    )
  return (
    <Go to="/providers" search={{ open: target.provider ?? '' }} className="font-medium hover:underline">
      {words}
    </Go>
  )
}

function aboutTarget({ maxInFlight, timeouts, when }: RouterTargetState): string {
  const deadlines = timeoutsWords(timeouts)
  return [
    whenWords(when) ?? 'Any call',
    ...(maxInFlight === null ? [] : [`at most ${maxInFlight} calls in flight`]),
    ...(deadlines === null ? [] : [deadlines]),
  ].join('; ')
}

function Problem({ problem }: { readonly problem: NonNullable<RouterTargetState['problem']> }): ReactNode {
  const named = useNamedCall(problem.mend)
  return (
    <p className="mt-1 flex flex-wrap items-center gap-2 text-13">
      <State tone="negative" words="Cannot be taken" />
      <span className="wrap-anywhere text-ink-2">{problem.reason}</span>
      {named && <CopyAs operation={named.operation} input={named.input} words="What mends it" />}
    </p>
  )
}

function Removal({
  ifMatch,
  may,
  name,
}: {
  readonly name: string
  readonly ifMatch: { readonly ifMatch?: string }
  readonly may: boolean
}): ReactNode {
  const setSearch = useSetSearch()
  const [isAsked, setAsked] = useState(false)
  const remove = useChange('routers.rm', { touches: ['onboarding', 'doctor', 'bundles', 'models'] })
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-line pt-4">
      <Button kind="danger" disabled={!may} onClick={() => setAsked(true)}>
        Remove the router
      </Button>
      <CopyAs operation="routers.rm" input={{ name }} />
      <Confirm
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={
          <>
            Remove <bdi>{name}</bdi>?
          </>
        }
        action="Remove the router"
        onConfirm={async () => {
          await remove.mutateAsync({ name, ...ifMatch })
          toast(`Removed ${name}`)
          setSearch({ open: null, act: null })
        }}
      >
        <p>The name ends, and what every bundle charges for it. Calls that ask for it are refused.</p>
        <p>The names that it leads to stay, and what was used under it stays on the ledger.</p>
      </Confirm>
    </div>
  )
}
