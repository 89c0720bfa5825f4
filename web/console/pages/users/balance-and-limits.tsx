import type { ReactNode } from 'react'
import type { EndUser, UserLimit, UserLimits } from '#sdk/generated/types.ts'
import { classNames } from '#web/ui/class-names.ts'
import { Meter } from '#web/ui/charts/limit-meter.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { limitAmountText, limitText } from '#web/ui/limit-text.ts'
import { moneyText } from '#web/ui/money-text.ts'
import { daysText } from '#web/ui/number-text.ts'
import { useHasPassed } from '#web/ui/current-time-hooks.ts'
import { Count, Money, When } from '#web/ui/formatted-values.tsx'
import { unitsText } from '../../prices/dollars-or-credits-text.ts'
import { Go } from '../../shell/console-links.tsx'
import { limitsInForce, toldApart, withoutManyKeys, type InForce } from './first-limit-reached.ts'
import { labelOfLimit } from './label-of-limit.ts'

export function BalanceAndLimits({
  error,
  limits: data,
  onRetry,
  user,
}: {
  readonly user: EndUser
  readonly limits: UserLimits | undefined
  readonly error: unknown
  readonly onRetry: () => void
}): ReactNode {
  const held = BigInt(user.balance.reservedUnits)
  const available = BigInt(user.balance.balanceUnits) - held
  return (
    <div className="mb-8 grid gap-x-12 gap-y-6 border-y border-line py-6 tablet:grid-cols-[minmax(15rem,1fr)_2fr]">
      <section aria-label="Balance">
        <h2 className="text-13 text-ink-3">Wallet balance</h2>
        {/* Longer amounts must fit on a phone. */}
        <p
          className={classNames(
            'font-semibold tracking-tight',
            moneyText(available).length > 11 ? 'text-28' : 'text-40',
          )}
          data-balance
        >
          <Money micros={available} />{' '}
          <span className="text-14 font-normal tracking-normal text-ink-2">available</span>
        </p>
        <p className="mt-1 min-h-5 text-14 text-ink-2">
          {held > 0n ? (
            <>
              <Money micros={held} className="text-held" /> held
              {data && data.callsInFlight > 0 && ` by ${callsText(data.callsInFlight)}`}, of{' '}
              <Money micros={user.balance.balanceUnits} />
            </>
          ) : (
            'No amount is held.'
          )}
        </p>
        <Expiring credit={user.balance.expiringCredit} />
        {data && <PaceWords pace={data.pace} />}
      </section>
      <section aria-label="Limits in force" className="min-w-0">
        <h2 className="mb-2 text-13 text-ink-3">Spending limits</h2>
        {!data && <FailureNote error={error} onRetry={onRetry} />}
        {data && <Limits user={user} limits={data} />}
        {data && data.rates.length > 0 && <RateLimits rates={data.rates} />}
      </section>
    </div>
  )
}

type ExpiringCredit = EndUser['balance']['expiringCredit']

function Expiring({ credit }: { readonly credit: ExpiringCredit }): ReactNode {
  if (credit.length === 0) return null
  return (
    <ul className="mt-2 text-14" aria-label="Credit that expires" data-expiring>
      {credit.map((one) => (
        <ExpiringRow key={one.grantId} credit={one} />
      ))}
    </ul>
  )
}

function ExpiringRow({
  credit: { expiresAt, remainingMicros, startsAt },
}: {
  readonly credit: ExpiringCredit[number]
}): ReactNode {
  // The page's clock advances only once a minute, so newly granted credit would otherwise seem to start later.
  const hasStarted = useHasPassed(startsAt)
  return (
    <li>
      <Money micros={remainingMicros} /> expires <When at={expiresAt} />
      {!hasStarted && (
        <>
          , starts <When at={startsAt} />
        </>
      )}
    </li>
  )
}

function callsText(calls: number): string {
  return calls === 1 ? '1 request' : `${calls} requests`
}

function PaceWords({
  pace: { availableMicros, chargedMicros, days, lastsDays, perDayMicros },
}: {
  readonly pace: UserLimits['pace']
}): ReactNode {
  if (chargedMicros === '0') {
    return (
      <p className="mt-4 text-14 text-ink-2">
        Nothing was spent {days === 1 ? 'today' : `in the last ${days} days`}.
      </p>
    )
  }
  return (
    <div className="mt-4 text-14" data-pace>
      <p>
        <Money micros={perDayMicros} className="font-medium" /> per day, so the credit{' '}
        {lastsDays === null ? (
          'is used up'
        ) : (
          <>
            lasts <span className="font-medium">{daysText(lastsDays)}</span>
          </>
        )}
        .
      </p>
      <p className="mt-1 max-w-80 text-13 text-ink-3">
        <Money micros={chargedMicros} /> was charged in {days === 1 ? 'one day' : `${days} days`}, including
        today (UTC). Wallet and pools have {moneyText(BigInt(availableMicros))}, without on-demand billing.
      </p>
    </div>
  )
}

function Limits({ limits: told, user }: { readonly user: EndUser; readonly limits: UserLimits }): ReactNode {
  const all = { ...told, limits: [...toldApart(told.limits)] }
  const inForce = limitsInForce(all)
  const { hidden, shown } = withoutManyKeys(all.limits, {
    isOfKey: ({ kind }) => kind === 'key_cap',
    // The smallest remaining amounts are the most important.
    rank: ({ availableUnits }) => -Number(availableUnits ?? '0'),
  })
  return (
    <>
      <p className="mb-4 text-14" data-binding>
        {bindingWords(user, all, inForce)}
      </p>
      {all.limits.length > 0 && (
        <div className="grid gap-x-8 gap-y-4 phone:grid-cols-2">
          {shown.map((limit) => (
            <LimitMeter
              key={`${limit.kind} ${limit.id} ${limit.resetsAt ?? ''}`}
              limit={limit}
              isBinding={isBinding(limit, inForce)}
            />
          ))}
        </div>
      )}
      <HiddenLimits count={hidden} />
    </>
  )
}

function HiddenLimits({ count }: { readonly count: number }): ReactNode {
  if (count === 0) return null
  return (
    <p className="mt-3 text-13 text-ink-2">
      <Count of={count} /> more {count === 1 ? 'limit of a key is' : 'limits of keys are'} on the{' '}
      <Go to="." search={{ tab: 'keys' }}>
        tab Keys
      </Go>
      .
    </p>
  )
}

function isBinding({ id, kind }: UserLimit, { first, tighterKeys }: InForce): boolean {
  return kind === 'key_cap' || kind === 'portal_total'
    ? tighterKeys.some((key) => key.id === id)
    : first.by === kind && first.id === id
}

/** More keys would hide the other sentences. */
const tighterKeysMax = 5

function bindingWords(
  user: EndUser,
  { limits, onDemandBlockedSince, onPlan }: UserLimits,
  inForce: InForce,
): ReactNode {
  const isOn = limits.some(({ kind }) => kind === 'on_demand')
  const hasOnDemand = isOn && onDemandBlockedSince === null
  if (user.frozen) return 'The end user is frozen, so all requests are rejected.'
  if (!onPlan) return 'The end user has no plan, so all requests are rejected.'
  const { first, tighterKeys } = inForce
  const paying = [
    limits.some(({ kind }) => kind === 'pool') ? 'pools' : '',
    limits.some(({ kind }) => kind === 'team_pool') ? "pools of the team's payer" : '',
    limits.some(({ kind }) => kind === 'credit') ? 'expiring credit' : '',
    limits.some(({ kind }) => kind === 'team') ? "the team's wallet" : '',
    'the wallet',
    hasOnDemand ? 'on-demand' : '',
  ].filter((name) => name !== '')
  const most =
    first.leftMicros === null ? (
      'On-demand billing is on without a limit, so spending is not limited.'
    ) : (
      <>
        The end user can spend up to{' '}
        <strong className="figures font-medium">{moneyText(first.leftMicros)}</strong>.
        {first.by === 'bundle_limit'
          ? ' The plan limit is reached first.'
          : first.by === 'end_user_limit'
            ? " The end user's limit is reached first."
            : ` This is the remaining amount in ${paying.join(' and ')}.`}
      </>
    )
  return (
    <>
      {most}
      {tighterKeys.length > tighterKeysMax
        ? ` ${tighterKeys.length} keys can spend less, because of their caps.`
        : tighterKeys.map(({ id, kind, leftMicros, name }) => (
            <span key={id}>
              {' '}
              {kind === 'portal_total' ? (
                <>
                  Keys created in the portal can spend only {moneyText(leftMicros)}, because of their shared
                  spend limit.
                </>
              ) : (
                <>
                  The key <bdi>{name}</bdi> can spend only {moneyText(leftMicros)}, because of the cap of the
                  key.
                </>
              )}
            </span>
          ))}
      {isOn && !hasOnDemand && ' On-demand billing is blocked because an invoice is past due.'}
    </>
  )
}

function RateLimits({ rates }: { readonly rates: UserLimits['rates'] }): ReactNode {
  const { hidden, shown } = withoutManyKeys(rates, {
    isOfKey: ({ source }) => source === 'key_limit',
    rank: ({ held, most, used }) => (Number(used) + Number(held)) / Math.max(Number(most), 1),
  })
  return (
    <div data-rates>
      <h2 className="mt-6 mb-2 text-13 text-ink-3">Rate limits</h2>
      <div className="grid gap-x-8 gap-y-4 phone:grid-cols-2">
        {shown.map(({ held, id, measure, models, most, resetsAt, source, used, window }) => {
          const scope = limitText({ measure, ...(window && { window }), ...(models && { models }) })
          const label = id === null ? scope : `${scope} (${source === 'key_limit' ? 'key' : 'plan'} ${id})`
          return (
            <Meter
              key={label}
              label={label}
              used={BigInt(used)}
              held={BigInt(held)}
              limit={BigInt(most)}
              format={(amount) => limitAmountText(measure, amount)}
              {...(resetsAt !== null && {
                note: (
                  <>
                    returns <When at={resetsAt} />
                  </>
                ),
              })}
            />
          )
        })}
      </div>
      <HiddenLimits count={hidden} />
    </div>
  )
}

function LimitMeter({
  isBinding: binds,
  limit,
}: {
  readonly limit: UserLimit
  readonly isBinding: boolean
}): ReactNode {
  const { expiresAt, heldUnits, limitUnits, resetsAt, unit, usedUnits } = limit
  return (
    <Meter
      label={labelOfLimit(limit)}
      used={BigInt(usedUnits)}
      held={BigInt(heldUnits)}
      limit={limitUnits === null ? null : BigInt(limitUnits)}
      format={(units) => unitsText(units, unit)}
      isBinding={binds}
      note={
        expiresAt !== null ? (
          <>
            expires <When at={expiresAt} />
          </>
        ) : resetsAt === null ? (
          'never resets'
        ) : (
          <>
            resets <When at={resetsAt} />
          </>
        )
      }
    />
  )
}
