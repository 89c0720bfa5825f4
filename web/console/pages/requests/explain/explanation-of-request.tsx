import type { ReactNode } from 'react'
import { Section } from '#web/ui/page-head-and-sections.tsx'
import { Attempts } from './attempts-table.tsx'
import { Corrections } from './corrections-table.tsx'
import { CallWaterfall } from './call-waterfall.tsx'
import { Deliveries, Entries } from './entries-and-deliveries.tsx'
import { Ids } from './ids-of-request.tsx'
import { Limits } from './limits-table.tsx'
import { Money } from './money-of-request.tsx'
import type { Told } from './waterfall-phases.ts'
import { Receipt } from './receipt-table.tsx'
import { RejectingLimit } from './rejecting-limit.tsx'
import { RouteTargets } from './route-targets.tsx'
import { Sentence } from './summary-sentence-of-request.tsx'
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
        <Section title={told.status === 'refused' ? 'Reason for rejection' : 'Error'}>
          <RejectingLimit told={told} refusal={refusal} />
        </Section>
      )}
      {timeline.length > 0 && (
        <section className="mb-12">
          <CallWaterfall told={told} />
        </section>
      )}
      <Section title="Money">
        <Money told={told} />
      </Section>
      {corrections.length > 0 && (
        <Section title="Corrections" about="Refunds, and changes after a late usage report.">
          <Corrections corrections={corrections} />
        </Section>
      )}
      {priceLines.length > 0 && (
        <Section
          title="Receipt"
          about="For each price that applies, units are multiplied by rates. Only the total is rounded up."
        >
          <Receipt told={told} />
        </Section>
      )}
      {usage !== null && (
        <Section
          title="Usage"
          about="Usage in Tollgate's units and in the fields of the provider's wire format."
        >
          <UsageTable usage={usage} wire={told.route?.upstreamWire ?? told.wire} />
        </Section>
      )}
      {(policy?.limits?.length ?? 0) > 0 && (
        <Section
          title="Limits"
          about="All limits that applied when the gateway accepted or rejected the request."
        >
          <Limits limits={policy?.limits ?? []} />
        </Section>
      )}
      {route !== null && (
        <Section title="Route">
          <RouteTargets route={route} />
        </Section>
      )}
      {attempts.length > 0 && (
        <Section title="Attempts" about="All attempts at providers, in order.">
          <Attempts attempts={attempts} />
        </Section>
      )}
      <Section title="Ledger">
        <Entries entries={ledger} />
      </Section>
      <Section title="Emitters">
        <Deliveries deliveries={emitters} />
      </Section>
      <Section title="IDs">
        <Ids told={told} />
      </Section>
    </>
  )
}
