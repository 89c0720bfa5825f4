import type { ReactNode } from 'react'
import type { types } from '#sdk/portal.ts'
import { useHasPassed } from '#web/ui/current-time-hooks.ts'
import { Money } from '#web/ui/formatted-values.tsx'
import { dayText } from '#web/portal/time-and-count-text.ts'
import { Fact } from './lists-and-rows.tsx'

type Credit = types.PortalAccount['balance']['expiringCredit'][number]

/** @param name the label of credit on this page, once the credit can be spent */
export function ExpiringCredit({
  credits,
  name,
}: {
  readonly credits: readonly Credit[]
  readonly name: string
}): ReactNode {
  if (credits.length === 0) return null
  return (
    <dl className="mt-4 border-t border-line" data-expiring>
      {credits.map((credit) => (
        <ExpiringFact key={credit.grantId} credit={credit} name={name} />
      ))}
    </dl>
  )
}

function ExpiringFact({
  credit: { expiresAt, remainingMicros, startsAt },
  name,
}: {
  readonly credit: Credit
  readonly name: string
}): ReactNode {
  const hasStarted = useHasPassed(startsAt)
  return (
    <Fact
      name={
        hasStarted
          ? `${name}, expires ${dayText(expiresAt)}`
          : `Credit from ${dayText(startsAt)}, expires ${dayText(expiresAt)}`
      }
    >
      <Money micros={remainingMicros} />
    </Fact>
  )
}
