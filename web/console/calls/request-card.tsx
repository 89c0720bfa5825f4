import type { ReactNode } from 'react'
import type { Request } from '#sdk/generated/types.ts'
import { useNow } from '#web/ui/current-time-hooks.ts'
import { exactTimeText } from '#web/ui/number-text.ts'
import { Money, Nothing } from '#web/ui/formatted-values.tsx'
import { CallState } from './request-outcome.tsx'
import { momentText } from '../point-in-time-text.ts'

export function callCard(call: Request): ReactNode {
  return <CallCard call={call} />
}

function CallCard({ call }: { readonly call: Request }): ReactNode {
  const nowMs = useNow(60_000)
  const isCharged = call.status === 'settled' || call.status === 'recovered'
  return (
    <span className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 gap-y-1 font-normal">
      {call.endUserId === null ? (
        <Nothing reason="Unknown end user" />
      ) : (
        <bdi className="truncate font-medium" title={call.endUserId}>
          {call.endUserId}
        </bdi>
      )}
      <span className="text-right">
        {isCharged ? <Money micros={call.chargeMicros} /> : <Nothing reason="Nothing was charged" />}
      </span>
      <time
        dateTime={call.createdAt}
        title={exactTimeText(call.createdAt)}
        className="figures text-13 text-ink-3"
      >
        {momentText(call.createdAt, nowMs, { hasDate: true })}
      </time>
      <span className="text-13">
        <CallState call={call} />
      </span>
    </span>
  )
}
