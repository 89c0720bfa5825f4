import { type ReactNode } from 'react'
import type { Router, RouterTargetState } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { Facts } from '#web/ui/page-head-and-sections.tsx'
import { State } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import { When } from '#web/ui/formatted-values.tsx'
import { useAnswer } from '../../operations/use-operation.ts'
import { ConfirmedChange } from '../../button-with-confirmation.tsx'
import { CopyAs } from '../../copy-as-code.tsx'
import { healthOfName } from '../../providers/health-words.ts'
import { useNamedCall } from '../../operations/operation-input.ts'
import { RevisedSheet } from '../../resource-sheet-with-forms.tsx'
import { useRevised, type Revised } from '../../forms-with-revision.tsx'
import { useSetSearch } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { Go } from '../../shell/console-links.tsx'
import {
  attemptsWords,
  nextTargetWords,
  policySentence,
  policyWords,
  shareWords,
  targetWords,
  timeoutsWords,
  whenWords,
} from './router-in-words.ts'
import { RouterForm } from './router-form.tsx'

export function RouterSheet({ name }: { readonly name: string }): ReactNode {
  const setSearch = useSetSearch()
  const back = (): void => setSearch({ act: null })
  return (
    <RevisedSheet
      query={useRevised('routers.show', { name })}
      noun="routers"
      title={name}
      fault="The router couldn't be loaded."
      forms={{
        edit: {
          about: 'Changes replace the whole router and take effect with the next request.',
          form: (router, ends) => <RouterForm router={router} onCancel={back} {...ends} />,
        },
      }}
      onBack={back}
      onClose={() => setSearch({ open: null, act: null })}
    >
      {(router) => <Shown router={router} />}
    </RevisedSheet>
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
          Plan request
        </Button>
        <Button disabled={!may} onClick={() => setSearch({ act: 'edit' })}>
          Edit router
        </Button>
        <CopyAs operation="routers.show" input={{ name }} />
      </div>
      {!may && <p className="text-13 text-ink-3">Editing routers requires the developer role.</p>}
      <Facts
        facts={[
          [
            'Status',
            serving ? (
              <RouterHealth key="state" name={name} />
            ) : (
              <State
                key="state"
                tone="negative"
                words="All requests are rejected because no target is available"
              />
            ),
          ],
          [policyWords(policy), policySentence(router)],
          ['Attempts', attemptsWords(router)],
          ['Timeouts', timeoutsWords(attempts.timeouts) ?? 'The default timeouts of the gateway'],
          attempts.alsoMovesOn.length + attempts.neverMovesOn.length > 0
            ? ['Next target', nextTargetWords(attempts)]
            : null,
          ['Created', <When key="built" at={createdAt} isRealTime />],
        ]}
      />
      <div>
        <h3 className="mb-1 text-14 font-semibold">Targets</h3>
        <ol>
          {targets.map((target, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- a target is identified only by its position
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
    whenWords(when) ?? 'Any request',
    ...(maxInFlight === null ? [] : [`at most ${maxInFlight} requests in flight`]),
    ...(deadlines === null ? [] : [deadlines]),
  ].join('; ')
}

function Problem({ problem }: { readonly problem: NonNullable<RouterTargetState['problem']> }): ReactNode {
  const named = useNamedCall(problem.mend)
  return (
    <p className="mt-1 flex flex-wrap items-center gap-2 text-13">
      <State tone="negative" words="Unavailable" />
      <span className="wrap-anywhere text-ink-2">{problem.reason}</span>
      {named && <CopyAs operation={named.operation} input={named.input} words="API request for the fix" />}
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
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-line pt-4">
      <ConfirmedChange
        operation="routers.rm"
        input={{ name }}
        ifMatch={ifMatch}
        action="Delete router"
        isDisabled={!may}
        title={
          <>
            Delete <bdi>{name}</bdi>?
          </>
        }
        onDone={() => {
          toast(`Deleted ${name}.`)
          setSearch({ open: null, act: null })
        }}
      >
        <p>
          The router and its prices in all bundles will be deleted. New requests to this name will be
          rejected.
        </p>
        <p>The targets of the router are kept, and past usage remains on the ledger.</p>
      </ConfirmedChange>
    </div>
  )
}
