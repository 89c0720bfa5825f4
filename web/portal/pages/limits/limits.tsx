import type { ReactNode } from 'react'
import type { types } from '#sdk/portal.ts'
import { Meter } from '#web/ui/charts/limit-meter.tsx'
import { limitAmountText, limitText } from '#web/ui/limit-text.ts'
import { moneyText } from '#web/ui/money-text.ts'
import { Note } from '#web/ui/status-notes-and-placeholders.tsx'
import { Money } from '#web/ui/formatted-values.tsx'
import { useAccount, useSubscription } from '#web/portal/account-and-plan-hooks.ts'
import { useRows } from '#web/portal/paged-list-hook.ts'
import { useAnswer, useFresh } from '#web/portal/response-cache.ts'
import { meansOf, stopOf, type Means, type Stop } from '#web/portal/remaining-credit.ts'
import { OnDemand } from '#web/portal/on-demand-switch.tsx'
import { client } from '#web/portal/end-user-session.ts'
import { BigMoney } from '#web/portal/ui/big-money.tsx'
import { Fact, List, Row } from '#web/portal/ui/lists-and-rows.tsx'
import { Further, PageTitle, Part } from '#web/portal/ui/page-title-and-sections.tsx'
import { MoreRows } from '#web/portal/ui/load-more-rows-button.tsx'
import { Shown, Waiting } from '#web/portal/ui/loaded-content.tsx'
import { dayText, momentText, perText } from '#web/portal/time-and-count-text.ts'

export default function Limits(): ReactNode {
  const account = useAccount()
  const subscription = useSubscription()
  const keys = useAnswer('keys', () => client.portal.keys({ limit: 200 }))
  const caps = useRows('keys caps', (part) => client.portal.keys(part))
  useFresh(['account', 'subscription'], 15_000)
  const answers = [account, subscription, keys, caps]
  const isComing = answers.some(({ error, value }) => value === undefined && error === null)
  return (
    <>
      <PageTitle title="Limits" about="Requests that could exceed a limit are rejected before they run." />
      {isComing ? (
        <Waiting rows={6} />
      ) : (
        <>
          <Shown answer={subscription} what="Your plan">
            {() => null}
          </Shown>
          <Shown answer={account} what="Your limits">
            {(value) => (
              <OfAccount account={value} plan={subscription.value ?? null} ownKeys={keys.value?.data ?? []} />
            )}
          </Shown>
          <Part title="Key caps" action={<Further to="/keys">Keys</Further>}>
            <Shown answer={caps} what="Your keys">
              {(all) => (
                <>
                  <Caps keys={all.filter((key) => key.revokedAt === null)} hasMore={caps.hasMore} />
                  <MoreRows rows={caps} what="keys" />
                </>
              )}
            </Shown>
          </Part>
        </>
      )}
    </>
  )
}

function OfAccount({
  account,
  ownKeys,
  plan,
}: {
  readonly ownKeys: readonly types.PortalKey[]
  readonly account: types.PortalAccount
  readonly plan: types.Subscription | null
}): ReactNode {
  const means = meansOf(account, plan)
  const isBlocked = plan !== null && plan.onDemandBlockedSince !== null
  const stop = stopOf(account, means, { isBlocked })
  const { keys, limits, onDemand, rates, spendLimit, team } = account
  return (
    <>
      <StopAt account={account} means={means} stop={stop} />
      <section className="mb-10 border-y border-line py-2">
        <OnDemand account={account} subscription={plan} />
        {onDemand.limitMicros !== null && onDemand.enabled && (
          <div className="py-3">
            <Meter
              label="On-demand usage this month"
              used={BigInt(onDemand.spentMicros)}
              held={0n}
              limit={BigInt(onDemand.limitMicros)}
              format={(micros: bigint) => moneyText(micros)}
              isBinding={stop.limit === null}
              note="resets on the 1st of each month, UTC"
            />
          </div>
        )}
      </section>
      {team && (
        <Part title={`Paid by ${team.name}`}>
          <div className="border-t border-line py-4">
            <Meter
              label="Your requests, per month"
              used={BigInt(team.spentMicros)}
              held={BigInt(team.heldMicros)}
              limit={team.capMicros === null ? null : BigInt(team.capMicros)}
              format={(micros: bigint) => moneyText(micros)}
              note={`resets on ${dayText(team.resetsAt)}`}
            />
          </div>
        </Part>
      )}
      {spendLimit && (
        <Part title="Plan limit">
          <LimitMeter limit={spendLimit} isBinding={stop.limit === spendLimit} />
        </Part>
      )}
      {limits.length + rates.length > 0 && (
        <Part title={limits.length + rates.length === 1 ? 'Your limit' : 'Your limits'}>
          {limits.map((limit) => (
            <LimitMeter key={limit.period} limit={limit} isBinding={stop.limit === limit} />
          ))}
          {rates.map((rate) => (
            <RateMeter key={`${rate.id} ${limitText(scopeOf(rate))}`} rate={rate} keys={ownKeys} />
          ))}
        </Part>
      )}
      {keys.totalMicros !== null && (
        <Part title="Keys created in this portal">
          <div className="border-t border-line pt-4">
            <Meter
              label={`All keys together, ${perText(keys.capPeriod)}`}
              used={BigInt(keys.spentMicros ?? '0')}
              held={0n}
              limit={BigInt(keys.totalMicros)}
              format={(micros: bigint) => moneyText(micros)}
              note="spending of revoked keys counts until the period ends"
            />
          </div>
        </Part>
      )}
    </>
  )
}

function LimitMeter({
  isBinding,
  limit: { limitMicros, period, resetsAt, spentMicros },
}: {
  readonly limit: types.PortalAccount['limits'][number]
  readonly isBinding: boolean
}): ReactNode {
  return (
    <div className="border-t border-line py-4">
      <Meter
        label={`All requests, ${perText(period)}`}
        used={BigInt(spentMicros)}
        held={0n}
        limit={BigInt(limitMicros)}
        format={(micros: bigint) => moneyText(micros)}
        isBinding={isBinding}
        note={resetsAt === null ? 'never resets' : `resets on ${dayText(resetsAt)}`}
      />
    </div>
  )
}

type Rate = types.PortalAccount['rates'][number]

function scopeOf({ measure, models, window }: Rate) {
  return { measure, ...(window && { window }), ...(models && { models }) }
}

/** Also states when the used amount becomes available again. */
function RateMeter({
  keys,
  rate,
}: {
  readonly rate: Rate
  readonly keys: readonly types.PortalKey[]
}): ReactNode {
  const { held, id, measure, most, resetsAt, source, used, window } = rate
  const name = keys.find((key) => key.id === id)?.name ?? id
  const owner =
    source === 'key_limit' ? `, with the key ${name}` : source === 'bundle_limit' ? ', on your plan' : ''
  const note =
    resetsAt !== null
      ? `more is available ${momentText(resetsAt)}`
      : window === 'total'
        ? 'never resets'
        : measure === 'calls'
          ? 'more is available when a request ends'
          : null
  return (
    <div className="border-t border-line py-4" data-rate={measure}>
      <Meter
        label={`${limitText(scopeOf(rate))}${owner}`}
        used={BigInt(used)}
        held={BigInt(held)}
        limit={BigInt(most)}
        format={(amount: bigint) => limitAmountText(measure, amount)}
        {...(note !== null && { note })}
      />
    </div>
  )
}

function StopAt({
  account: { frozen, spendLimit },
  means: { balanceMicros, included },
  stop: { leftMicros, limit, onDemandLeftMicros },
}: {
  readonly account: types.PortalAccount
  readonly means: Means
  readonly stop: Stop
}): ReactNode {
  if (frozen) {
    return (
      <div className="mb-6">
        <Note tone="negative" title="Your account is frozen">
          <p>You can't make requests until your account is unfrozen.</p>
        </Note>
      </div>
    )
  }
  return (
    <section className="mb-8" data-stop>
      <h2 className="text-ink-2">
        {leftMicros === null
          ? 'No limit applies to your spending'
          : leftMicros === 0n
            ? 'Requests are rejected now because you have $0.00 left to spend'
            : 'Money left to spend before requests are rejected'}
      </h2>
      {leftMicros !== null && leftMicros > 0n && (
        <p>
          <BigMoney micros={leftMicros} />
        </p>
      )}
      {limit !== null ? (
        <p className="text-ink-2">
          {limit === spendLimit ? "Your plan's limit" : 'Your limit'} is reached before your credit is used
          up.
        </p>
      ) : (
        <dl className="mt-3 border-t border-line">
          {included.map(({ leftMicros: left, name, slug }) => (
            <Fact key={slug} name={<bdi>{name}</bdi>}>
              <Money micros={left} />
            </Fact>
          ))}
          <Fact name="Balance">
            <Money micros={balanceMicros} />
          </Fact>
          <Fact name="On-demand">
            {onDemandLeftMicros === null ? 'no limit' : <Money micros={onDemandLeftMicros} />}
          </Fact>
        </dl>
      )}
    </section>
  )
}

function Caps({
  hasMore,
  keys,
}: {
  readonly keys: readonly types.PortalKey[]
  readonly hasMore: boolean
}): ReactNode {
  if (keys.length === 0 && hasMore) return null
  if (keys.length === 0) return <p className="border-t border-line py-4 text-ink-2">No keys yet.</p>
  return (
    <List label="Key caps">
      {keys.map((key) => (
        <Row key={key.id}>
          <span className="min-w-0 flex-1 truncate" title={key.name}>
            <bdi>{key.name}</bdi> <span className="text-14 text-ink-2">…{key.lastFour}</span>
          </span>
          <span className="shrink-0 text-right">
            {key.capMicros === null ? (
              <span className="text-ink-2">no cap</span>
            ) : (
              <>
                <Money micros={key.capMicros} /> {perText(key.capPeriod)}
              </>
            )}
          </span>
        </Row>
      ))}
    </List>
  )
}
