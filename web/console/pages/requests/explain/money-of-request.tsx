import type { ReactNode } from 'react'
import { figures } from '#domain/reports/table-of-request-figures.ts'
import { Facts } from '#web/ui/page-head-and-sections.tsx'
import { Money as Amount, Nothing } from '#web/ui/formatted-values.tsx'
import { amountIn, furtherNames } from '../../../request-money-figures.ts'
import type { Told } from './waterfall-phases.ts'

/** Omits parts that are zero. */
function paidBy(told: Told): readonly (readonly [name: string, micros: string])[] {
  const parts = [
    ['Paid from plan', told.paidFromPlanMicros],
    ['Paid from gifted credit', told.paidFromGiftMicros],
    ['Paid from wallet', told.paidFromWalletMicros],
    ['Billed on demand', told.onDemandMicros],
    ['Overdraft', told.overdraftMicros],
    ['Paid from an unknown source', told.unattributedMicros],
  ] as const
  return parts.filter(([, micros]) => micros !== '0')
}

function Part({
  micros,
  of,
}: {
  readonly micros: string | null | undefined
  readonly of: string
}): ReactNode {
  return (
    <>
      <Amount micros={micros} /> of the {of}
    </>
  )
}

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
            held === null ? <Nothing key="held" reason="No hold" /> : <Amount key="held" micros={held} />,
          ],
          ['Charged', status === 'in_flight' ? 'not yet, the request is in flight' : 'no charge'],
          costMicros === '0' ? null : ['Cost of failed attempts', <Amount key="cost" micros={costMicros} />],
        ]}
      />
    )
  const isMore = (micros: string | null | undefined): boolean =>
    micros !== undefined && micros !== null && micros !== '0'
  return (
    <Facts
      className="max-w-prose"
      facts={[
        ['Held', <Amount key="held" micros={held} reason="The held amount is no longer known" />],
        isMore(reserve?.extendedMicros)
          ? [
              'Added to the hold during the request',
              <Part key="more" micros={reserve?.extendedMicros} of="hold" />,
            ]
          : null,
        ['Charged', <Amount key="charged" micros={settle.chargeMicros} className="text-16 font-semibold" />],
        isMore(settle.aboveHoldMicros)
          ? ['Charged above the hold', <Part key="above" micros={settle.aboveHoldMicros} of="charge" />]
          : null,
        isMore(policy?.maxOverdraftMicros)
          ? ['Maximum overdraft of the bundle', <Amount key="most" micros={policy?.maxOverdraftMicros} />]
          : null,
        ['Released', <Amount key="released" micros={settle.releasedMicros} />],
        ...paidBy(told).map(([name, micros]): [string, ReactNode] => [
          name,
          <Amount key={name} micros={micros} />,
        ]),
        ['List value', <Amount key="billed" micros={settle.billedMicros} />],
        ['Cost', <Amount key="cost" micros={settle.costMicros} />],
        isMore(settle.assumedMicros)
          ? ['Cost at assumed rates', <Part key="assumed" micros={settle.assumedMicros} of="cost" />]
          : null,
        isMore(settle.failedAttemptsMicros)
          ? ['Cost of failed attempts', <Part key="failed" micros={settle.failedAttemptsMicros} of="cost" />]
          : null,
        ...furtherNames
          .filter((name) => amountIn(told, name) !== '0')
          .map((name): [string, ReactNode] => [
            figures[name].label,
            <Amount key={name} micros={amountIn(told, name)} />,
          ]),
        isMore(settle.overHoldMicros)
          ? ['Usage above the hold, not charged', <Amount key="over" micros={settle.overHoldMicros} />]
          : null,
        typeof settle.revenueMicros === 'string'
          ? ['Revenue', <Amount key="revenue" micros={settle.revenueMicros} />]
          : null,
        typeof settle.marginMicros === 'string'
          ? ['Margin', <Amount key="margin" micros={settle.marginMicros} signed />]
          : null,
        settle.isDisputed === true ? ['Cost may be incorrect', disputeWords(settle)] : null,
        typeof settle.usageRecordId === 'string'
          ? ['Usage record', <code key="record">{settle.usageRecordId}</code>]
          : null,
        typeof settle.outcome === 'string'
          ? ['Outcome', `${settle.outcome} ${settle.outcomeRun ?? ''}`]
          : null,
        told.tags.length > 0 ? ['Tags', told.tags.join(', ')] : null,
      ]}
    />
  )
}

function disputeWords({
  disputedBecause,
}: {
  readonly isDisputed?: boolean | null
  readonly disputedBecause?: readonly string[] | null
}): string {
  return (disputedBecause ?? []).map((reason) => disputeReasons[reason] ?? reason).join(' ')
}

const disputeReasons: Readonly<Record<string, string>> = {
  another_model: 'Another model answered.',
  unpriced_web_search: 'The account has no rate for web searches, so their computed cost is 0.',
  unpriced_service_tier:
    'The price of the account has no factor for the service tier or region that served the request.',
  stated_cost:
    'Over the last ten requests of this account and model, the costs that the provider states differ from the computed costs by more than 3 %.',
}
