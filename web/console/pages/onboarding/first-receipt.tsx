import type { ReactNode } from 'react'
import { Facts } from '#web/ui/page-head-and-sections.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Count, Duration, Id, Money, When } from '#web/ui/formatted-values.tsx'
import { useAnswer } from '../../operations/use-operation.ts'
import { Go, UserLink } from '../../shell/console-links.tsx'

export function FirstReceipt(): ReactNode {
  const { data, error, refetch } = useAnswer('requests.list', { status: 'settled', limit: 1 })
  const call = data?.data[0]
  if (error) return <FailureNote error={error} onRetry={() => void refetch()} />
  if (!call) return null
  return (
    <div className="mt-4">
      <div className="mb-1 flex flex-wrap items-baseline justify-between gap-x-6">
        <h3 className="text-16 font-semibold">Receipt</h3>
        <Go to="/requests/$id" params={{ id: call.id }}>
          View request
        </Go>
      </div>
      <p className="mb-3 text-28 font-semibold" data-receipt={call.id}>
        <Money micros={call.chargeMicros} />
      </p>
      <Facts
        facts={[
          ['Request', <Id key="id" text={call.id} />],
          ['End user', call.endUserId === null ? null : <UserLink key="person" id={call.endUserId} />],
          ['Model', call.requestedModel === null ? null : <Id key="name" text={call.requestedModel} />],
          [
            'Tokens',
            <span key="tokens">
              <Count of={call.inputTokens} /> in, <Count of={call.outputTokens} /> out
            </span>,
          ],
          ['Provider cost', <Money key="cost" micros={call.costMicros} />],
          ['Duration', <Duration key="took" ms={call.latencyMs} />],
          ['Time', <When key="when" at={call.createdAt} />],
        ]}
      />
    </div>
  )
}
