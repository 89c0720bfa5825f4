/** The list also states how many end users could not be checked. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { ApiKeySummary, EndUser, Subscription } from '#sdk/generated/types.ts'
import { FailureNote } from '#web/ui/failure.tsx'
import { exactTimeText } from '#web/ui/number-text.ts'
import { Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { Money } from '#web/ui/formatted-values.tsx'
import { allRowsQuery } from '../../load-all-rows.ts'
import { call } from '../../operations/use-operation.ts'
import { scopeOptions } from '../../application-and-mode.ts'
import { UserLink } from '../../shell/console-links.tsx'

/** Each checked end user takes one request. */
const peopleMax = 20

export function Ends({
  app,
  from,
  to,
}: {
  readonly app: string
  readonly from: string
  readonly to: string
}): ReactNode {
  const scope = { app, mode: 'test' } as const
  const keys = useQuery(allRowsQuery('keys.list', {}, scope))
  const users = useQuery(allRowsQuery('users.list', {}, scope))
  const people = (users.data?.rows ?? []).filter(({ bundle }) => bundle !== null)
  const asked = people.slice(0, peopleMax)
  const subscriptions = useQuery({
    queryKey: ['subscription', 'show', 'several', asked.map(({ externalId }) => externalId), scope],
    queryFn: ({ signal }) =>
      Promise.all(
        asked.map(async (user) => ({
          user,
          subscription: await call(
            'subscription.show',
            { endUserId: user.externalId },
            { ...scopeOptions(scope), signal },
          ),
        })),
      ),
    enabled: users.data !== undefined,
  })
  const error = keys.error ?? users.error ?? subscriptions.error
  if (error) return <FailureNote error={error} title="The preview couldn't be loaded." />
  if (!keys.data || !subscriptions.data) return <Skeleton className="h-24" />
  const isBetween = (time: string | null): time is string =>
    time !== null && Date.parse(time) > Date.parse(from) && Date.parse(time) <= Date.parse(to)
  const periods = subscriptions.data.filter(({ subscription }) => isBetween(subscription.periodEnd))
  const isThere = ({ livemode, revokedAt }: ApiKeySummary): boolean => !livemode && revokedAt === null
  const kept = keys.data.rows.filter(isThere)
  const expiring = kept.filter(({ expiresAt }) => isBetween(expiresAt))
  const caps = kept.filter(({ capMicros, resetsAt }) => capMicros !== null && isBetween(resetsAt))
  const rest = people.length - asked.length
  return (
    <section
      aria-label="Effects of the new time"
      aria-live="polite"
      className="border-y border-line py-3 text-14"
    >
      <h3 className="mb-2 font-semibold">Effects of the new time</h3>
      <ul className="flex flex-col gap-1">
        {periods.map(({ subscription, user }) => (
          <Period key={user.id} user={user} subscription={subscription} />
        ))}
        {expiring.length > 0 && <li>{counted(expiring.length, 'key expires', 'keys expire')}.</li>}
        {caps.length > 0 && <li>{counted(caps.length, 'key cap resets', 'key caps reset')}.</li>}
        {periods.length + expiring.length + caps.length === 0 && (
          <li className="text-ink-2">
            No plan period ends, no key expires and no cap resets before the new time.
          </li>
        )}
        {rest > 0 && (
          <li className="text-ink-3">
            The plan periods of {counted(rest, 'more end user', 'more end users')} were not checked.
          </li>
        )}
      </ul>
    </section>
  )
}

function Period({
  subscription: { interval, periodEnd, planName, priceMicros },
  user: { externalId },
}: {
  readonly user: EndUser
  readonly subscription: Subscription
}): ReactNode {
  return (
    <li className="min-w-0 wrap-anywhere">
      The period of <UserLink id={externalId} /> on <bdi>{planName}</bdi> ends on {exactTimeText(periodEnd)}.
      {BigInt(priceMicros) > 0n && (
        <>
          {' '}
          An invoice of <Money micros={priceMicros} /> is issued for the next {interval}.
        </>
      )}
    </li>
  )
}

function counted(count: number, one: string, several: string): string {
  return `${count} ${count === 1 ? one : several}`
}
