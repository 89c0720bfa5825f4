/** Everything known about a request, from its summary to its IDs. */
import type { ReactNode } from 'react'
import { Section } from '#web/ui/layout.tsx'
import { Attempts } from './attempts.tsx'
import { Corrections } from './corrections.tsx'
import { CallWaterfall } from './call-waterfall.tsx'
import { Deliveries, Entries } from './entries.tsx'
import { Ids } from './ids.tsx'
import { Limits } from './limits.tsx'
import { Money } from './money-facts.tsx'
import type { Told } from './phases-of.ts'
import { Receipt } from './receipt.tsx'
import { Refusal } from './refusal.tsx'
import { Route } from './route.tsx'
import { Sentence } from './sentence.tsx'
import { UsageTable } from './usage-table.tsx'

export function Explanation({ told }: { readonly told: Told }): ReactNode {
  const { attempts, corrections, emitters, ledger, policy, priceLines, refusal, route, timeline, usage } =
    told
  return (
    <>
      <div className="mb-8">
        <Sentence told={told} isWhole={false} />
      </div>
      {refusal !== null && (
        <Section title={told.status === 'refused' ? 'Why it was refused' : 'What went wrong'}>
          <Refusal told={told} refusal={refusal} />
        </Section>
      )}
      {timeline.length > 0 && (
        <Section title="Course">
          <CallWaterfall told={told} />
        </Section>
      )}
      <Section title="Money">
        <Money told={told} />
      </Section>
      {corrections.length > 0 && (
        <Section title="Corrections" about="Refunds, and the true usage where it became known later.">
          <Corrections corrections={corrections} />
        </Section>
      )}
      {priceLines.length > 0 && (
        <Section
          title="Receipt"
          about="Units times rates, by each price that applies; rounded up once, at the end."
        >
          <Receipt told={told} />
        </Section>
      )}
      {usage !== null && (
        <Section title="Usage" about="What was used, in our units and as the provider's wire names them.">
          <UsageTable usage={usage} wire={told.route?.upstreamWire ?? told.wire} />
        </Section>
      )}
      {(policy?.limits?.length ?? 0) > 0 && (
        <Section title="Limits" about="Each ceiling of the call, as it stood when the call was decided.">
          <Limits limits={policy?.limits ?? []} />
        </Section>
      )}
      {route !== null && (
        <Section title="Route">
          <Route route={route} />
        </Section>
      )}
      {attempts.length > 0 && (
        <Section title="Attempts" about="Each try at a provider, in order.">
          <Attempts attempts={attempts} />
        </Section>
      )}
      <Section title="Ledger">
        <Entries entries={ledger} />
      </Section>
      <Section title="Emitters">
        <Deliveries deliveries={emitters} />
      </Section>
      <Section title="Ids">
        <Ids told={told} />
      </Section>
    </>
  )
}
