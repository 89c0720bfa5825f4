import type { ReactNode } from 'react'
import { Facts } from '#web/ui/layout.tsx'
import { Money as Amount, Nothing } from '#web/ui/values.tsx'
import type { Told } from './phases-of.ts'

/** The parts of the charge that are not 0. */
function paidBy(told: Told): readonly (readonly [name: string, micros: string])[] {
  const parts = [
    ['Paid by plan', told.paidFromPlanMicros],
    ['Paid by given credit', told.paidFromGiftMicros],
    ['Paid by wallet', told.paidFromWalletMicros],
    ['Billed on demand', told.onDemandMicros],
    ['Overdraft', told.overdraftMicros],
    ['Not recorded who paid', told.unattributedMicros],
  ] as const
  return parts.filter(([, micros]) => micros !== '0')
}

/** What was held, taken, given back, earned and paid. */
export function Money({ told }: { readonly told: Told }): ReactNode {
  const { costMicros, policy, reserve, settle, status } = told
  const held = reserve?.worstMicros ?? null
  if (!settle)
    return (
      <Facts
        className="max-w-prose"
        facts={[
          [
            'Held',
            held === null ? (
              <Nothing key="held" reason="Nothing was held" />
            ) : (
              <Amount key="held" micros={held} />
            ),
          ],
          ['Charged', status === 'in_flight' ? 'not yet: the call is in flight' : 'nothing'],
          costMicros === '0'
            ? null
            : ['Cost of attempts that did not answer', <Amount key="cost" micros={costMicros} />],
        ]}
      />
    )
  const isMore = (micros: string | null | undefined): boolean =>
    micros !== undefined && micros !== null && micros !== '0'
  return (
    <Facts
      className="max-w-prose"
      facts={[
        ['Held', <Amount key="held" micros={held} reason="It is not known any more" />],
        isMore(reserve?.extendedMicros)
          ? ['Of that, held as it grew', <Amount key="more" micros={reserve?.extendedMicros} />]
          : null,
        ['Charged', <Amount key="charged" micros={settle.chargeMicros} className="text-16 font-semibold" />],
        isMore(settle.aboveHoldMicros)
          ? ['Of that, above the hold', <Amount key="above" micros={settle.aboveHoldMicros} />]
          : null,
        isMore(policy?.maxOverdraftMicros)
          ? ['Overdraft that the bundle allows', <Amount key="most" micros={policy?.maxOverdraftMicros} />]
          : null,
        ['Released', <Amount key="released" micros={settle.releasedMicros} />],
        ...paidBy(told).map(([name, micros]): [string, ReactNode] => [
          name,
          <Amount key={name} micros={micros} />,
        ]),
        ['List value', <Amount key="billed" micros={settle.billedMicros} />],
        ['Cost', <Amount key="cost" micros={settle.costMicros} />],
        isMore(settle.assumedMicros)
          ? ['Of that, at assumed rates', <Amount key="assumed" micros={settle.assumedMicros} />]
          : null,
        isMore(settle.failedAttemptsMicros)
          ? ['Of that, attempts that failed', <Amount key="failed" micros={settle.failedAttemptsMicros} />]
          : null,
        isMore(settle.overHoldMicros)
          ? ['Used beyond the hold, not billed', <Amount key="over" micros={settle.overHoldMicros} />]
          : null,
        typeof settle.revenueMicros === 'string'
          ? ['Revenue', <Amount key="revenue" micros={settle.revenueMicros} />]
          : null,
        typeof settle.marginMicros === 'string'
          ? ['Margin', <Amount key="margin" micros={settle.marginMicros} signed />]
          : null,
        settle.isDisputed === true
          ? ['Stated cost', 'differs from ours by more than 3 % over ten requests of this model']
          : null,
        typeof settle.usageRecordId === 'string'
          ? ['Usage record', <code key="record">{settle.usageRecordId}</code>]
          : null,
        typeof settle.outcome === 'string'
          ? ['Outcome', `${settle.outcome} ${settle.outcomeRun ?? ''}`]
          : null,
      ]}
    />
  )
}
